import type { Task, Timer } from "../state/records.ts";

// Timers are kept as a heap, the next one first: a world may have thousands of open prompts, and a
// list in order would be moved about at each of them.

const isBefore = (one: Timer, other: Timer) =>
  one.at < other.at || (one.at === other.at && one.turn < other.turn);

/** In the order in which they fall due, which is a heap too. */
export const inOrder = (timers: readonly Timer[]): Timer[] =>
  timers.toSorted((one, other) => one.at - other.at || one.turn - other.turn);

function swap(timers: Timer[], one: number, other: number): void {
  [timers[one], timers[other]] = [timers[other] as Timer, timers[one] as Timer];
}

function up(timers: Timer[], from: number): void {
  for (let at = from; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!isBefore(timers[at] as Timer, timers[parent] as Timer)) return;
    swap(timers, at, parent);
    at = parent;
  }
}

function down(timers: Timer[], from: number): void {
  for (let at = from; ; ) {
    let next = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < timers.length && isBefore(timers[child] as Timer, timers[next] as Timer)) {
        next = child;
      }
    }
    if (next === at) return;
    swap(timers, at, next);
    at = next;
  }
}

export function addTimer(timers: Timer[], timer: Timer): void {
  timers.push(timer);
  up(timers, timers.length - 1);
}

function removeAt(timers: Timer[], at: number): void {
  const last = timers.pop();
  if (last === undefined || at === timers.length) return;
  timers[at] = last;
  up(timers, at);
  down(timers, at);
}

/** Takes the next timer out, where it has fallen due by `now`. */
export function takeDue(timers: Timer[], now: number): Task | undefined {
  const [next] = timers;
  if (next === undefined || next.at > now) return undefined;
  removeAt(timers, 0);
  return next.task;
}

/** Takes a timer out before its time. Gives whether there was one. */
export function dropTimer(timers: Timer[], isMeant: (task: Task) => boolean): boolean {
  const at = timers.findIndex(({ task }) => isMeant(task));
  if (at >= 0) removeAt(timers, at);
  return at >= 0;
}
