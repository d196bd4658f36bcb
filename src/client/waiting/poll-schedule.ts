// When to read, in seconds since the wait began. A wait for what is settled already, as after a
// restart, ends with the first; a customer takes some ten seconds; a prompt lives a minute.
const READS_AT = [0, 2, 5, 8, 12, 16, 20, 25, 30, 45, 62];
const THEN_EVERY = 20;

/** Waits that began together must not read together. */
const JITTER = 0.1;

/** A read so soon after another tells nothing new; and a timer may end a little early. */
const TOO_SOON = 0.5;

/** The last look comes this long before the deadline: its answer needs time. */
const lastLookMargin = (deadline: number) => Math.min(2, deadline / 5);

/**
 * How long to wait for the next read of a payment, in milliseconds: short at first, then longer,
 * jittered. `undefined` where none is due before the deadline. At most ten reads fall into the first
 * minute.
 *
 * @param elapsedMs - Since the wait began.
 * @param timeoutMs - The whole wait.
 */
export function nextReadInMs(
  elapsedMs: number,
  timeoutMs: number,
  random: () => number = Math.random,
): number | undefined {
  const elapsed = elapsedMs / 1000;
  const margin = lastLookMargin(timeoutMs / 1000);
  const lastLook = timeoutMs / 1000 - margin;
  if (elapsed + TOO_SOON > lastLook) return undefined;
  // Where the last look falls into the first minute, it is the tenth.
  const reads = lastLook > 60 ? READS_AT : READS_AT.slice(0, 9);
  const due = reads.find((at) => at > elapsed + TOO_SOON);
  const next = due ?? (lastLook > 60 ? elapsed + THEN_EVERY : lastLook);
  const before = reads.findLast((at) => at <= elapsed + TOO_SOON) ?? 0;
  const isLast = next + TOO_SOON > lastLook;
  // Later, never earlier: the number of reads in a minute is a promise.
  const late = isLast ? margin / 2 : JITTER * Math.min(next - before, THEN_EVERY);
  return Math.round(((isLast ? lastLook : next) - elapsed + late * random()) * 1000);
}
