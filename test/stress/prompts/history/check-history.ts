import {
  type Breach,
  type CheckResult,
  check,
  type LedgerEntry,
  type OrderRecord,
} from "../check.ts";
import { FULL_SIZE } from "../time-limits.ts";
import { breachesInEvents } from "./check-events.ts";
import type { HistoryEvent } from "./event.ts";
import { type HardState, hardStatesIn } from "./hard-states.ts";

/** What the checker finds in a history. */
export interface HistoryResult extends CheckResult {
  readonly hardStates: readonly HardState[];
  /** From the end of the faults until everything had its answer. `undefined`: it never had. */
  readonly lastPhaseMs: number | undefined;
}

/** Whether a campaign was large enough that it must have met every hard state. */
const isFullSize = (payments: number): boolean => payments >= FULL_SIZE;

/** Checks a history: the promises, and that the hard states occurred. */
export function checkHistory(events: readonly HistoryEvent[]): HistoryResult {
  const records: OrderRecord[] = [];
  const ledger: LedgerEntry[] = [];
  for (const event of events) {
    if (event.what === "order") records.push({ ...event, id: event.key });
    if (event.what === "payment") ledger.push({ ...event, account_reference: event.key });
  }
  const result = check(records, ledger);
  const hardStates = hardStatesIn(events);
  const start = events.find((event) => event.what === "start");
  const missing = hardStates
    .filter(({ count, expected }) => isFullSize(start?.payments ?? 0) && expected && count === 0)
    .map(({ name }): Breach => ({ kind: "never", order: "", what: `never occurred: ${name}` }));
  const stopped = events.find(({ what }) => what === "faults_stopped")?.at;
  const ended = events.find(({ what }) => what === "all_ended")?.at;
  return {
    ...result,
    breaches: [...result.breaches, ...breachesInEvents(events), ...missing],
    hardStates,
    lastPhaseMs: stopped === undefined || ended === undefined ? undefined : ended - stopped,
  };
}
