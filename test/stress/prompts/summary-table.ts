import type { Breach } from "./check.ts";
import type { HistoryResult } from "./history/check-history.ts";
import type { HistoryEvent } from "./history/event.ts";
import { groupBy } from "./history/group-by.ts";
import { type Injected, injectedIn } from "./history/injected.ts";

/** One campaign, as the summary counts it. */
export interface Summary extends Injected {
  readonly store: string;
  readonly seed: string;
  readonly payments: number;
  readonly prompts: number;
  readonly promptedTwice: number;
  readonly lost: number;
}

export function summaryOf(events: readonly HistoryEvent[], result: HistoryResult): Summary {
  const start = events.find((event) => event.what === "start");
  const ordersWith = (kind: Breach["kind"]) =>
    new Set(result.breaches.filter((one) => one.kind === kind).map(({ order }) => order)).size;
  return {
    store: start?.store ?? "",
    seed: start?.seed ?? "",
    payments: start?.payments ?? 0,
    ...injectedIn(events),
    prompts: result.prompts,
    promptedTwice: ordersWith("prompts"),
    lost: ordersWith("unknown"),
  };
}

const COLUMNS = [
  ["payments", "payments"],
  ["processes killed", "kills"],
  ["pauses", "pauses"],
  ["clock steps", "clockSteps"],
  ["engine faults", "engineFaults"],
  ["prompts", "prompts"],
  ["orders with two prompts", "promptedTwice"],
  ["orders without an answer", "lost"],
] as const;

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** All campaigns of each store in one row, in Markdown. */
export function summaryTable(summaries: readonly Summary[]): string {
  const rows = [...groupBy(summaries, ({ store }) => store)].map(([store, ofStore]) => [
    store,
    [...new Set(ofStore.map(({ seed }) => seed))].sort().join(", "),
    ...COLUMNS.map(([, name]) =>
      ofStore.reduce((sum, summary) => sum + summary[name], 0).toLocaleString("en"),
    ),
  ]);
  const names = ["store", "seeds", ...COLUMNS.map(([title]) => title)];
  const line = names.map((_, index) => (index < 2 ? "---" : "--:"));
  return [names, line, ...rows].map(row).join("\n");
}
