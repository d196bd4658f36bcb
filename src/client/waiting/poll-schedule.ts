// When to read, in seconds since the wait began. The first read finds a payment that is final already,
// such as after a restart; a customer takes about ten seconds; a prompt lives for a minute.
const READS_AT = [0, 2, 5, 8, 12, 16, 20, 25, 30, 45, 62];
/** After the last of these, the seconds between two reads. */
const LATER_INTERVAL = 20;

/** The share of an interval by which reads are spread, so that waits that began together read apart. */
const JITTER = 0.1;

/** The shortest time between two reads, in seconds: longer than timers are inexact. */
const MIN_GAP = 0.5;

/** The most seconds that the last read is made before the deadline: its response needs time. */
const MAX_MARGIN = 2;

/** In this time there may be ten reads at most: a promise. */
const FIRST_MINUTE = 60;

/**
 * How long to wait for the next read of a payment, in milliseconds: short at first, then longer, with
 * jitter. `undefined` if there is none before the deadline. The first minute has at most ten reads.
 *
 * @param elapsedMs - Since the wait began.
 * @param waitMs - The time limit of the whole wait.
 */
export function nextReadInMs(
  elapsedMs: number,
  waitMs: number,
  random: () => number = Math.random,
): number | undefined {
  const elapsed = elapsedMs / 1000;
  const wait = waitMs / 1000;
  const margin = Math.min(MAX_MARGIN, wait / 5);
  const lastRead = wait - margin;
  if (elapsed + MIN_GAP > lastRead) return undefined;
  const endsAfterMinute = lastRead > FIRST_MINUTE;
  // Otherwise the last read is the tenth of the first minute.
  const readsAt = endsAfterMinute ? READS_AT : READS_AT.slice(0, 9);
  const planned = readsAt.find((at) => at > elapsed + MIN_GAP);
  const next = planned ?? (endsAfterMinute ? elapsed + LATER_INTERVAL : lastRead);
  // Jitter makes a read later, never earlier, so that there are no more than ten in the first minute.
  if (next + MIN_GAP > lastRead) {
    return Math.round((lastRead - elapsed + (margin / 2) * random()) * 1000);
  }
  const previous = readsAt.findLast((at) => at <= elapsed + MIN_GAP) ?? 0;
  const spread = JITTER * Math.min(next - previous, LATER_INTERVAL);
  return Math.round((next - elapsed + spread * random()) * 1000);
}
