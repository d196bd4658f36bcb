import type { Task, Timer } from "../state/records.ts";

// Timers are kept as a binary heap with the next timer first. A sandbox may have thousands of open
// prompts, and a sorted list would be shifted at each of them.

const isBefore = (one: Timer, other: Timer) =>
  one.at < other.at || (one.at === other.at && one.turn < other.turn);

/** The timers sorted by when they are due. A sorted list is a valid heap too. */
export const sortedTimers = (timers: readonly Timer[]): Timer[] =>
  timers.toSorted((one, other) => one.at - other.at || one.turn - other.turn);

function swap(timers: Timer[], one: number, other: number): void {
  [timers[one], timers[other]] = [timers[other] as Timer, timers[one] as Timer];
}

function siftUp(timers: Timer[], from: number): void {
  let index = from;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(timers[index] as Timer, timers[parent] as Timer)) return;
    swap(timers, index, parent);
    index = parent;
  }
}

function siftDown(timers: Timer[], from: number): void {
  let index = from;
  for (;;) {
    let next = index;
    for (const child of [2 * index + 1, 2 * index + 2]) {
      if (child < timers.length && isBefore(timers[child] as Timer, timers[next] as Timer)) {
        next = child;
      }
    }
    if (next === index) return;
    swap(timers, index, next);
    index = next;
  }
}

export function addTimer(timers: Timer[], timer: Timer): void {
  timers.push(timer);
  siftUp(timers, timers.length - 1);
}

function removeAt(timers: Timer[], index: number): void {
  const last = timers.pop();
  if (last === undefined || index === timers.length) return;
  timers[index] = last;
  siftUp(timers, index);
  siftDown(timers, index);
}

/** Removes the next timer and returns its task, if it is due by `now`. */
export function takeDueTask(timers: Timer[], now: number): Task | undefined {
  const [next] = timers;
  if (next === undefined || next.at > now) return undefined;
  removeAt(timers, 0);
  return next.task;
}

/** Cancels the first timer whose task matches. Returns whether there was one. */
export function cancelTimer(timers: Timer[], matches: (task: Task) => boolean): boolean {
  const index = timers.findIndex(({ task }) => matches(task));
  if (index >= 0) removeAt(timers, index);
  return index >= 0;
}
