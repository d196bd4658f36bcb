import type { HistoryEvent } from "../messages.ts";

/** From here on a clock is wrong by more than the retention of a result. */
const WRONG_FROM_MS = 30 * 24 * 3_600_000;

const isWrong = (offsetMs: number, direction: 1 | -1) => offsetMs * direction >= WRONG_FROM_MS;

/** The keys whose attempt ended as succeeded in a span of time. */
const succeeded = (events: readonly HistoryEvent[], from: number, until: number): Set<string> =>
  new Set(
    events.flatMap((event) =>
      event.what === "finishing" &&
      event.state === "succeeded" &&
      event.at > from &&
      event.at < until
        ? [event.key]
        : [],
    ),
  );

/** Counts keys whose attempt ended as succeeded in the first span of time, and that were used later. */
function usedAgain(
  events: readonly HistoryEvent[],
  [endedFrom, endedUntil]: readonly [number, number],
  usedFrom: number,
): number {
  const ended = succeeded(events, endedFrom, endedUntil);
  const used = events.flatMap((event) =>
    event.what === "seen_succeeded" && event.at > usedFrom && ended.has(event.key)
      ? [event.key]
      : [],
  );
  return new Set(used).size;
}

/** When a process with such a wrong date has last begun an attempt; 0 if none has. */
function lastWrongCall(events: readonly HistoryEvent[], direction: 1 | -1): number {
  const offsets = new Map<string, number>();
  let last = 0;
  for (const event of events) {
    if (event.what === "clock") offsets.set(event.who, event.offsetMs);
    if (event.what !== "begun" || !isWrong(offsets.get(event.who) ?? 0, direction)) continue;
    last = event.at;
  }
  return last;
}

/** Whether a key had succeeded before: then it is used again at the end of every campaign. */
export const willBeUsedAgain = (events: readonly HistoryEvent[], direction: 1 | -1): boolean =>
  succeeded(events, 0, lastWrongCall(events, direction)).size > 0;

/** How many keys had succeeded, and were used again after one process with a wrong date began an attempt. */
export function usedAfterWrongCall(events: readonly HistoryEvent[], direction: 1 | -1): number {
  const last = lastWrongCall(events, direction);
  return usedAgain(events, [0, last], last);
}

/**
 * How many keys were used again after the machine had started with a wrong date. Behind: keys that
 * succeeded while the date was wrong, used when it was right. Ahead: keys that had succeeded before.
 */
export function usedAfterStart(events: readonly HistoryEvent[], direction: 1 | -1): number {
  const start = events.find(
    (event) => event.what === "machine_started" && isWrong(event.offsetMs, direction),
  );
  if (start === undefined) return 0;
  if (direction === 1) return usedAgain(events, [0, start.at], start.at);
  const right = events.find(({ what, at }) => what === "clocks_right" && at > start.at)?.at;
  return right === undefined ? 0 : usedAgain(events, [start.at, right], right);
}
