import { DAY_MS, HOUR_MS } from "./units.ts";

/** Both clocks of a machine, read at one moment, in whole milliseconds. */
export interface Clocks {
  /** Since 1970. Anyone can set this clock. */
  readonly wallMs: number;
  /** Since the machine started. All its processes share this clock, and it cannot be set. */
  readonly uptimeMs: number;
}

/**
 * A clock for retentions: stored data is forgotten by this clock, never by the wall clock. It advances
 * only as far as both clocks of the machine did, so that a wrong one forgets nothing: a wall clock
 * that was set, in either direction, does not change the uptime, and a machine that starts again has a
 * small uptime, whatever its date is. The price: time in which the machine is off or asleep does not
 * count, so data may be stored for longer than its retention.
 *
 * A store writes it to its file, with the first write and again when {@link RetentionTime.isDue}.
 * Several processes may write it at the same time, since each value is complete.
 */
export interface RetentionClock extends Clocks {
  /** The time by which retentions are measured: it starts with the wall clock. */
  readonly nowMs: number;
}

/** The retention clock at this moment, and how it got there. */
export interface RetentionTime {
  readonly clock: RetentionClock;
  /** Whether the store must write `clock`. */
  readonly isDue: boolean;
  /** What to tell the user if a clock was set since the last write; otherwise `undefined`. */
  readonly warning: string | undefined;
}

/** Smaller differences are corrections, or a machine that slept for a short time. */
const MAX_DIFFERENCE_MS = HOUR_MS;

/** A store that writes the clock more often gains little, and each write waits for the disk. */
const WRITE_INTERVAL_MS = 60_000;

/** Milliseconds since the machine started. */
export const uptimeMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

const readClocks = (): Clocks => ({ wallMs: Date.now(), uptimeMs: uptimeMs() });

/**
 * Advances a stored clock to this moment.
 *
 * @param stored - What the store wrote last; `undefined` if it has written nothing yet.
 */
export function retentionTime(
  stored: RetentionClock | undefined,
  clocks: Clocks = readClocks(),
): RetentionTime {
  if (stored === undefined) {
    return { clock: { ...clocks, nowMs: clocks.wallMs }, isDue: true, warning: undefined };
  }
  const hasRestarted = clocks.uptimeMs < stored.uptimeMs;
  const wallPassedMs = clocks.wallMs - stored.wallMs;
  const uptimePassedMs = clocks.uptimeMs - (hasRestarted ? 0 : stored.uptimeMs);
  const passedMs = Math.max(0, Math.min(wallPassedMs, uptimePassedMs));
  const differenceMs = wallPassedMs - uptimePassedMs;
  // The machine may have been off for any time before it started again, but not for less than none.
  const wasSet =
    differenceMs < -MAX_DIFFERENCE_MS || (!hasRestarted && differenceMs > MAX_DIFFERENCE_MS);
  return {
    clock: { ...clocks, nowMs: stored.nowMs + passedMs },
    isDue: hasRestarted || wasSet || uptimePassedMs >= WRITE_INTERVAL_MS,
    warning: wasSet ? warningAbout(differenceMs) : undefined,
  };
}

function warningAbout(differenceMs: number): string {
  const size = Math.abs(differenceMs);
  const length =
    size >= 2 * DAY_MS ? `${Math.round(size / DAY_MS)} days` : `${Math.round(size / HOUR_MS)} h`;
  return differenceMs > 0
    ? `The clock of this machine was set ${length} ahead, or the machine was asleep or off for that time. Nothing is forgotten because of it. Check the date of this machine.`
    : `The clock of this machine was set ${length} back. Nothing is forgotten because of it. Check the date of this machine.`;
}
