import { DATABASES, type EngineName } from "../harness/databases.ts";
import type { Breach, HardState, Outcome } from "../harness/table.ts";
import type { Mode } from "./settings.ts";

/** What a campaign was asked for. */
export interface Asked {
  readonly engine: EngineName;
  readonly mode: Mode;
  readonly seed: string;
  readonly events: number;
  readonly kills: number;
  /** How often each fault of the engine was to be made. */
  readonly rounds: number;
}

/** What happened to the events. */
export interface Found {
  readonly sent: number;
  readonly acknowledged: number;
  /** Acknowledged events without effect. */
  readonly lost: number;
  /** Events that were never sent, so that only a sweep can find their payments. */
  readonly dropped: number;
  /** Events without effect, those that were never sent included. */
  readonly open: number;
  /** Effects of events that were never sent. */
  readonly invented: number;
  /** Effects beyond the first of their event. */
  readonly duplicated: number;
  readonly kills: number;
  /** What processes wrote that ended without a kill. */
  readonly deaths: readonly string[];
  /** Processes that drained the inbox. */
  readonly drainers: number;
  /** How often each fault of the engine was made, by its name. */
  readonly faults: readonly HardState[];
  readonly deliveries: number;
}

/** What keeps the effect of each event at one. */
const onceBy = ({ engine }: Asked) =>
  DATABASES[engine].hasTables ? "through the transaction" : "through the idempotency key";

function breachesOf({ kills, rounds }: Asked, found: Found): Breach[] {
  const few = found.faults.filter(([, count]) => count < rounds);
  const [death = ""] = found.deaths;
  const checks: readonly (readonly [failed: boolean, kind: string, sentence: string])[] = [
    [found.acknowledged < found.sent, "not acknowledged", "Events were never acknowledged."],
    [found.lost > 0, "lost", "Acknowledged events were lost."],
    [found.open > 0, "open", "Orders stayed open."],
    [found.invented > 0, "invented", "Events had an effect and were never sent."],
    [found.duplicated > 0, "duplicated", "Events had their effect more than once."],
    [found.deaths.length > 0, "died", `Receiver processes died by themselves. ${death}`.trim()],
    [found.kills < kills, "never", "Kills that were planned did not happen."],
    ...few.map(
      ([name]) => [true, "never", `A fault did not happen as often as planned: ${name}.`] as const,
    ),
  ];
  return checks.filter(([failed]) => failed).map(([, kind, what]) => ({ kind, order: "", what }));
}

/** How a campaign ended: what it counted, and what went wrong, a sentence each. */
export function outcomeOf(asked: Asked, found: Found): Outcome {
  const { engine, mode, seed } = asked;
  const states: readonly HardState[] = [
    ["processes killed", found.kills],
    ...(found.drainers > 0 ? ([["processes that drained", found.drainers]] as const) : []),
    ...(mode === "sweep" ? ([["never sent, found by a sweep", found.dropped]] as const) : []),
    ...found.faults,
  ];
  return {
    title: `${engine}, ${mode}, seed ${seed}`,
    rows: [
      ["sent", found.sent],
      ["acknowledged", found.acknowledged],
      ["orders that stayed open", found.open],
      ["lost", found.lost],
      ["invented", found.invented],
      ["effects more than once", found.duplicated, onceBy(asked)],
      ["processes that died by themselves", found.deaths.length],
      ["deliveries", found.deliveries, "duplicates and retries included"],
    ],
    states,
    breaches: breachesOf(asked, found),
  };
}
