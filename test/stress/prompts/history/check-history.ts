import { neverCame } from "../../harness/hard-states.ts";
import {
  type Breach,
  countEach,
  type HardState,
  listed,
  type Outcome,
} from "../../harness/table.ts";
import { type CheckResult, check, type LedgerEntry, type OrderRecord } from "../check.ts";
import { breachesInEvents } from "./check-events.ts";
import type { HistoryEvent } from "./event.ts";
import { hardStatesIn } from "./hard-states.ts";

/** What the checker finds in a history. */
export interface HistoryResult extends CheckResult {
  readonly states: readonly HardState[];
  /** From the end of the faults until everything had its answer. `undefined`: it never had. */
  readonly lastPhaseMs: number | undefined;
}

/** Checks a history: the promises, and which hard states came. */
export function checkHistory(events: readonly HistoryEvent[]): HistoryResult {
  const records: OrderRecord[] = [];
  const ledger: LedgerEntry[] = [];
  for (const event of events) {
    if (event.what === "order") records.push({ ...event, id: event.key });
    if (event.what === "payment") ledger.push({ ...event, account_reference: event.key });
  }
  const result = check(records, ledger);
  const stopped = events.find(({ what }) => what === "faults_stopped")?.at;
  const ended = events.find(({ what }) => what === "all_ended")?.at;
  return {
    ...result,
    breaches: [...result.breaches, ...breachesInEvents(events)],
    states: hardStatesIn(events),
    lastPhaseMs: stopped === undefined || ended === undefined ? undefined : ended - stopped,
  };
}

/** The number of orders with a breach of these kinds. */
const ordersWith = (breaches: readonly Breach[], kinds: readonly string[]): number =>
  new Set(
    breaches.filter(({ kind }) => kinds.includes(kind)).map(({ order, what }) => order || what),
  ).size;

/** What must never happen, and the breaches that say so. */
const NEVER = [
  ["orders with two prompts", ["prompts"]],
  ["wrong final statuses", ["wrong"]],
  ["orders left unknown", ["unknown"]],
  ["unexpected errors", ["unexpected", "stray"]],
  ["keys begun twice", ["begun_twice"]],
  ["sent after the lease", ["sent_late"]],
  ["freed too early", ["freed_early"]],
] as const;

const held = (holds: boolean, promise: string) => `${promise}: ${holds ? "held" : "BROKEN"}`;

/** How a campaign ended, by its history. */
export function judge(events: readonly HistoryEvent[]): Outcome {
  const result = checkHistory(events);
  const { breaches, mostPrompts, statuses, states, lastPhaseMs } = result;
  const start = events.find((event) => event.what === "start");
  const times = (name: HistoryEvent["what"]) => events.filter(({ what }) => what === name).length;
  const incidents = countEach(events.flatMap((one) => (one.what === "incident" ? one.name : [])));
  const isSlow = breaches.some(({ kind }) => kind === "ended_late");
  const seconds = lastPhaseMs === undefined ? "-" : (lastPhaseMs / 1000).toFixed(1);
  return {
    title: `${start?.engine} store, seed ${start?.seed}`,
    rows: [
      ["events", events.length],
      ["orders, one key each", Object.values(statuses).reduce((sum, count) => sum + count, 0)],
      ["prompts", result.prompts, "in the service's own ledger"],
      ["most prompts for one key", mostPrompts, held(mostPrompts <= 1, "at most 1")],
      ...NEVER.map(([name, kinds]) => {
        const count = ordersWith(breaches, kinds);
        return [name, count, held(count === 0, "none")] as const;
      }),
      ["seconds to end without faults", seconds, held(!isSlow, "in time")],
      ["final statuses", "", listed(Object.entries(statuses).sort())],
      ["incidents inside a call", "", listed([...incidents].sort())],
      ["clock steps", times("clock")],
      ["engine faults", times("engine")],
      ["service restarts", times("service_restarted")],
    ],
    ...{ states, breaches: [...breaches, ...neverCame(states)] },
  };
}
