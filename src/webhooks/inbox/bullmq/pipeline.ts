import type { ChainableCommander, Redis } from "ioredis";

/** A `Redis`, or a `Cluster`: the commands that the inbox uses have the same types. */
export type RedisClient = Redis;

/** Several commands in one round trip. All of their keys are in one slot. */
export type Pipeline = ChainableCommander;

/** The reply of each command: an error for one that failed. */
export async function repliesOf(pipeline: Pipeline): Promise<unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => error ?? reply);
}

/** The reply of each command. @throws the error of the first one that failed. */
export async function runAll(pipeline: Pipeline): Promise<unknown[]> {
  const replies = await repliesOf(pipeline);
  for (const reply of replies) if (reply instanceof Error) throw reply;
  return replies;
}
