// When to read, in seconds since the wait began. A wait for what is settled already, as after a
// restart, ends with the first; a customer takes some ten seconds; a prompt lives a minute.
const READS_AT = [0, 2, 5, 8, 12, 16, 20, 25, 30, 45, 62];
const THEN_EVERY = 20;

/** Waits that began together must not read together. */
const JITTER = 0.1;

/**
 * How long to wait for the next read of a payment, in milliseconds: short at first, then longer,
 * jittered. At most ten reads fall into the first minute.
 *
 * @param elapsedMs - Since the wait began.
 */
export function nextReadInMs(elapsedMs: number, random: () => number = Math.random): number {
  const elapsed = elapsedMs / 1000;
  const next = READS_AT.find((at) => at > elapsed) ?? elapsed + THEN_EVERY;
  const before = READS_AT.findLast((at) => at <= elapsed) ?? 0;
  const span = Math.min(next - before, THEN_EVERY);
  // Later, never earlier: the number of reads in a minute is a promise.
  return Math.round((next - elapsed + span * JITTER * random()) * 1000);
}
