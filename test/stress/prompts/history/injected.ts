import type { HistoryEvent } from "./event.ts";

/** What a campaign did to processes, clocks and the engine of the store. */
export interface Injected {
  readonly kills: number;
  readonly pauses: number;
  readonly clockSteps: number;
  readonly engineFaults: number;
}

/** Counts what was done until the faults stopped. New processes replace the old ones after that. */
export function injectedIn(events: readonly HistoryEvent[]): Injected {
  const stopped = events.findIndex(({ what }) => what === "faults_stopped");
  const before = stopped === -1 ? events : events.slice(0, stopped);
  const count = (fits: (event: HistoryEvent) => boolean) => before.filter(fits).length;
  return {
    kills: count(({ what }) => what === "killed"),
    pauses: count((event) => event.what === "incident" && event.name.startsWith("paused")),
    clockSteps: count(({ what }) => what === "clock"),
    engineFaults: count(({ what }) => what === "engine"),
  };
}
