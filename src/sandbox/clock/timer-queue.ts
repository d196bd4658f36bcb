import type { Task, Timer } from "../state/stored.ts";

// Timers are sorted: the next one is the first.

const byTurn = (one: Timer, other: Timer) => one.at - other.at || one.turn - other.turn;

export const sortedTimers = (timers: readonly Timer[]): Timer[] => timers.toSorted(byTurn);

/** Inserts a timer in its place, which is sought from the end: most timers are due after all others. */
export function addTimer(timers: Timer[], timer: Timer): void {
  const before = timers.findLastIndex((one) => byTurn(one, timer) < 0);
  timers.splice(before + 1, 0, timer);
}

/** Removes the next timer and returns its task, if it is due by `now`. */
export function takeDueTask(timers: Timer[], now: number): Task | undefined {
  const [next] = timers;
  return next === undefined || next.at > now ? undefined : timers.shift()?.task;
}

/** Cancels the first timer whose task matches. Returns whether there was one. */
export function cancelTimer(timers: Timer[], matches: (task: Task) => boolean): boolean {
  const index = timers.findIndex(({ task }) => matches(task));
  if (index >= 0) timers.splice(index, 1);
  return index >= 0;
}
