import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { EngineFault } from "../../support/engines/faults.ts";
import type { EngineName } from "./databases.ts";
import { historyTime } from "./waits.ts";

/** When something happened, by `historyTime`, and in which process: `worker 2`, or `campaign`. */
interface Stamp {
  readonly at: number;
  readonly who: string;
}

/** What happens to the processes, the service and the engine of every campaign. */
export type CommonHappening =
  /** The first line of a history. */
  | {
      readonly what: "start";
      readonly subject: string;
      readonly engine: EngineName;
      readonly seed: string;
      /** What else was asked for, by the names of the options. */
      readonly options: Readonly<Record<string, unknown>>;
      /** What can be done to the engine. */
      readonly engineFaults: readonly EngineFault[];
    }
  /** The process stands at a point of this key, until it is killed or goes on. */
  | {
      readonly what: "asleep";
      readonly key: string;
      readonly point: string;
      readonly attempt?: string | undefined;
    }
  | { readonly what: "awake"; readonly key: string; readonly attempt?: string | undefined }
  /** What was planned for the point of a key has happened, since `from`, to the process `to`. */
  | {
      readonly what: "incident";
      readonly key: string;
      readonly name: string;
      readonly to: string;
      readonly from: number;
    }
  | { readonly what: "killed" }
  /** It ended, and was not killed. */
  | { readonly what: "died"; readonly error: string }
  /** An error that neither the campaign nor another process causes. */
  | { readonly what: "defect"; readonly error: string }
  | { readonly what: "engine"; readonly fault: string }
  /** The fault could not be made. */
  | { readonly what: "engine_failed"; readonly fault: EngineFault; readonly error: string }
  | { readonly what: "engine_back"; readonly fault: string }
  | { readonly what: "service_restarted" }
  /** The customer of an order was prompted. */
  | { readonly what: "prompt"; readonly key: string; readonly reference: string };

interface Happens {
  readonly what: string;
}
export type Event<H extends Happens> = H & Stamp;
/** The events of a name. */
export type Named<H extends Happens, Name> = H extends { what: infer What }
  ? Name extends What
    ? H & { readonly what: Name } & Stamp
    : never
  : never;

/** Everything that happened in a campaign. `H`: what may happen beside `CommonHappening`. */
export class History<Own extends Happens = never> {
  readonly #events: Event<Own | CommonHappening>[];
  readonly #listeners = new Set<(event: Event<Own | CommonHappening>) => void>();

  /** @param events - What has happened before, such as all of a history that was saved. */
  constructor(events: readonly Event<Own | CommonHappening>[] = []) {
    this.#events = [...events];
  }

  /** Adds an event that a process has reported. */
  add(event: Event<Own | CommonHappening>): void {
    this.#events.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Adds something that happens now in this process. */
  note(who: string, happening: Own | CommonHappening): void {
    this.add({ at: historyTime(), who, ...happening });
  }

  /** Calls a function with every later event, until the function that it returns is called. */
  follow(listener: (event: Event<Own | CommonHappening>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the first event that fits, since a time: its report may have been faster than that of another. */
  first(since: number, fits: (event: Event<Own | CommonHappening>) => boolean): Promise<void> {
    if (this.#events.some((event) => event.at >= since && fits(event))) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.follow((event) => {
        if (!fits(event)) return;
        stop();
        resolve();
      });
    });
  }

  /** All events, in the order of their times: the reports of two processes may arrive in any order. */
  events(): Event<Own | CommonHappening>[] {
    return this.#events.toSorted((a, b) => a.at - b.at);
  }

  /** All events of a name, in the order in which they arrived. */
  all<Name extends (Own | CommonHappening)["what"]>(
    name: Name,
  ): readonly Named<Own | CommonHappening, Name>[] {
    return this.#events.filter(({ what }) => what === name) as never;
  }
}

/** Appends a history to a file, one event a line. */
export function saveHistory(file: string, events: readonly Event<Happens>[]): void {
  const descriptor = openSync(file, "a");
  for (const event of events) writeSync(descriptor, `${JSON.stringify(event)}\n`);
  closeSync(descriptor);
}

/**
 * The histories in a file, one for each store. Each begins with the event `start`.
 *
 * @throws {TypeError} for a file that holds something else.
 */
export function readHistories<E extends Event<Happens>>(file: string): E[][] {
  const histories: E[][] = [];
  const lines = readFileSync(file, "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const event = parseEvent<E>(line);
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

/** The event of a line; `undefined` if it is none, such as the last line of a process that was killed. */
export function parseEvent<E extends Event<Happens>>(line: string): E | undefined {
  try {
    const event = JSON.parse(line);
    return typeof event?.what === "string" && typeof event.at === "number" ? event : undefined;
  } catch {
    return undefined;
  }
}
