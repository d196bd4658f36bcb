import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { type Happening, type HistoryEvent, historyTime } from "./event.ts";

/** Everything that happened in a campaign. */
export interface History {
  /** Adds an event that a process has reported. */
  add(event: HistoryEvent): void;
  /** Adds something that happens now in this process. */
  note(who: string, happening: Happening): void;
  /** Calls a function with every later event. */
  follow(listener: (event: HistoryEvent) => void): void;
  /** All events, in the order of their times. */
  events(): readonly HistoryEvent[];
}

export function createHistory(): History {
  const events: HistoryEvent[] = [];
  const listeners: ((event: HistoryEvent) => void)[] = [];
  const add = (event: HistoryEvent) => {
    events.push(event);
    for (const listener of listeners) listener(event);
  };
  return {
    add,
    note: (who, happening) => add({ at: historyTime(), who, ...happening }),
    follow: (listener) => {
      listeners.push(listener);
    },
    // Each process reports in order, but the reports of two processes may arrive in any order.
    events: () => events.toSorted((a, b) => a.at - b.at),
  };
}

/** Appends a history to a file, one event a line. */
export function saveHistory(file: string, events: readonly HistoryEvent[]): void {
  const descriptor = openSync(file, "a");
  for (const event of events) writeSync(descriptor, `${JSON.stringify(event)}\n`);
  closeSync(descriptor);
}

/**
 * The histories in a file, one for each store.
 *
 * @throws {TypeError} for a file that holds something else.
 */
export function readHistories(file: string): HistoryEvent[][] {
  const histories: HistoryEvent[][] = [];
  const lines = readFileSync(file, "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const event = parseLine(line);
    if (event?.what === "start") histories.push([]);
    const last = histories.at(-1);
    if (event === undefined || last === undefined) {
      throw new TypeError(`Line ${index + 1} of ${file} is not an event of a campaign's history.`);
    }
    last.push(event);
  }
  if (histories.length === 0) throw new TypeError(`${file} holds no history of a campaign.`);
  return histories;
}

function parseLine(line: string): HistoryEvent | undefined {
  try {
    const event = JSON.parse(line);
    return typeof event?.what === "string" && typeof event.at === "number" ? event : undefined;
  } catch {
    return undefined;
  }
}
