import { type CommandRunner, type RedisClient, runnerOf } from "./scripts.ts";

/** How long replicas have to confirm what was written, in milliseconds. */
const MAX_REPLICATION_MS = 1_000;

/** A command of a transaction failed, and Redis says why: the others may have run. */
export const isReplyError = (error: unknown): error is Error =>
  error instanceof Error && error.name === "ReplyError";

/**
 * Runs commands in one transaction, and waits until so many replicas have what they wrote. Resolves
 * with the reply of each: an error for a command that failed.
 */
export async function inTransaction(
  redis: RedisClient,
  replicas: number,
  queueCommands: (runner: CommandRunner) => unknown,
): Promise<unknown[]> {
  const pipeline = redis.pipeline([["multi"]]);
  await queueCommands(runnerOf(pipeline));
  // Ends the transaction; the next one sends the pipeline.
  void pipeline.exec();
  // In one pipeline: WAIT waits for what its own connection has written.
  if (replicas > 0) pipeline.wait(replicas, MAX_REPLICATION_MS);
  const replies = (await pipeline.exec()) ?? [];
  const confirmed = replicas > 0 ? replies.pop() : undefined;
  const [error, results] = replies.at(-1) ?? [new Error("Redis returned no reply.")];
  if (error !== null) throw error;
  if (confirmed !== undefined) checkConfirmed(confirmed, replicas);
  return results as unknown[];
}

function checkConfirmed([error, reply]: [Error | null, unknown], replicas: number): void {
  if (error !== null) throw error;
  const confirmed = Number(reply);
  if (confirmed >= replicas) return;
  throw new Error(
    `Of the ${replicas} replicas that must have a webhook, ${confirmed} confirmed it within ${MAX_REPLICATION_MS} ms. Check the replication of this Redis, or lower the option \`replicas\`.`,
  );
}
