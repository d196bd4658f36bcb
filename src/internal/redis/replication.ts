/** How long replicas have to confirm what was written, in milliseconds. */
export const MAX_REPLICATION_MS = 1_000;

/**
 * @param reply - What WAIT replied.
 * @param what - What the replicas must have: `an attempt`.
 * @throws {Error} if too few replicas have it.
 */
export function checkReplicas(reply: unknown, replicas: number, what: string): void {
  const confirmed = Number(reply);
  if (confirmed >= replicas) return;
  throw new Error(
    `Of the ${replicas} replicas that must have ${what}, ${confirmed} confirmed it within ${MAX_REPLICATION_MS} ms. Check the replication of this Redis, or lower the option \`replicas\`.`,
  );
}

/** A Redis that became a replica keeps its connections open: only a new one leads to its successor. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("READONLY");
