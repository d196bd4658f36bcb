import { roundsOf } from "./engine-faults.ts";
import type { SoakOptions, SoakResult } from "./soak.ts";

/** What keeps the effect of each event at one. */
const onceBy = ({ inbox }: Pick<SoakOptions, "inbox">) =>
  inbox === "sqlite" || inbox === "pg-boss"
    ? "through the transaction"
    : "through the idempotency key";

export type Asked = Pick<SoakOptions, "inbox" | "mode" | "seed" | "kills" | "events">;

/** The closing table. */
export function reportOf(asked: Asked, found: SoakResult): string {
  const { mode } = asked;
  const rows: readonly (readonly [what: string, count: number])[] = [
    ["sent", found.sent],
    ["acknowledged", found.acknowledged],
    ...(mode === "sweep" ? ([["never sent, found by a sweep", found.dropped]] as const) : []),
    ["orders that stayed open", found.open],
    ["lost", found.lost],
    ["invented", found.invented],
    [`effects more than once, ${onceBy(asked)}`, found.duplicated],
    ["receiver processes that died by themselves", found.deaths],
    ["receiver processes killed", found.kills],
    ...(found.drainers > 0 ? ([["processes that drained", found.drainers]] as const) : []),
    ...found.faults,
    ["deliveries, duplicates and retries included", found.deliveries],
  ];
  return [
    `${asked.inbox}, ${mode}, seed ${asked.seed}, ${found.seconds} s`,
    ...rows.map(([what, count]) => `${String(count).padStart(8)}  ${what}`),
  ].join("\n");
}

/** What went wrong, a sentence each. */
export function failuresOf({ kills, events }: Asked, found: SoakResult): string[] {
  const missing = [...found.faults].filter(([, count]) => count < roundsOf(events));
  const checks: readonly (readonly [failed: boolean, sentence: string])[] = [
    [found.acknowledged < found.sent, "Events were never acknowledged."],
    [found.lost > 0, "Acknowledged events were lost."],
    [found.open > 0, "Orders stayed open."],
    [found.invented > 0, "Events had an effect and were never sent."],
    [found.duplicated > 0, "Events had their effect more than once."],
    [found.deaths > 0, "Receiver processes died by themselves."],
    [found.kills < kills, "Kills that were planned did not happen."],
    ...missing.map(
      ([name]) => [true, `A fault did not happen as often as planned: ${name}.`] as const,
    ),
  ];
  return checks.filter(([failed]) => failed).map(([, sentence]) => sentence);
}
