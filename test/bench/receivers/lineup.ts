import type { Goal } from "../table.ts";

/** The store of a candidate. */
export type Store = "none" | "file" | "redis" | "postgres" | "mysql";

/** What a candidate counts as processed: one without a ledger processes an event that comes twice, twice. */
export type Counts = "events" | "deliveries";

/** A receiver that is measured. */
export interface Row {
  readonly name: string;
  readonly store: Store;
  readonly counts: Counts;
  readonly title: string;
}

/** Every receiver that is measured, in the order of the table. The first one is what others are compared with. */
export const LINEUP: readonly Row[] = (
  [
    ["bare", "none", "deliveries", "bare: node:http that only returns 200"],
    ["floor-verified", "none", "deliveries", "floor: bare + createHmac + JSON.parse"],
    ["nothing", "none", "deliveries", "malipo, verified, answered, stored nowhere"],
    ["memory", "none", "events", "malipo, memory()"],
    [
      "floor-sqlite",
      "file",
      "deliveries",
      "floor: + node:sqlite group commit + fdatasync, no worker",
    ],
    ["sqlite", "file", "events", "malipo, sqlite()"],
    ["sqlite-only", "file", "deliveries", "malipo, sqlite(), processed elsewhere"],
    ["usual", "redis", "events", "usual: Express + constructEvent + queue.add"],
    ["floor-redis", "redis", "deliveries", "floor: + addBulk in groups, no worker"],
    ["redis", "redis", "events", "malipo, redis()"],
    ["usual-pg-boss", "postgres", "deliveries", "usual: Express + constructEvent + boss.send"],
    [
      "floor-postgres",
      "postgres",
      "deliveries",
      "floor: + grouped INSERT ... json_to_recordset, no worker",
    ],
    ["postgres", "postgres", "events", "malipo, postgres()"],
    ["usual-mysql", "mysql", "events", "usual: Express + constructEvent + one INSERT a delivery"],
    ["mysql", "mysql", "events", "malipo, mysql()"],
  ] as const
).map(([name, store, counts, title]) => ({ name, store, counts, title }));

/** What is compared, of one round. */
export type Figure = "perSecond" | "processedPerSecond" | "cpuUs";

interface GoalRow {
  readonly text: string;
  readonly name: string;
  /** The candidate that it is compared with, in the same round. */
  readonly beside: string;
  readonly figure: Figure;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const GOALS: readonly GoalRow[] = [
  {
    text: "verified, answered, stored nowhere: at most 2 of the CPU time of its floor",
    name: "nothing",
    beside: "floor-verified",
    figure: "cpuUs",
    atMost: 2,
  },
  {
    text: "sqlite(): at least 1.3 of Express and `queue.add` in 200s",
    name: "sqlite",
    beside: "usual",
    figure: "perSecond",
    atLeast: 1.3,
  },
  {
    text: "redis(): at least 1.0 of Express and `queue.add` in 200s",
    name: "redis",
    beside: "usual",
    figure: "perSecond",
    atLeast: 1,
  },
  {
    text: "redis(): at least 0.75 of Express and `queue.add` in events processed",
    name: "redis",
    beside: "usual",
    figure: "processedPerSecond",
    atLeast: 0.75,
  },
  {
    text: "postgres(): at least 3.0 of Express and `boss.send` in 200s",
    name: "postgres",
    beside: "usual-pg-boss",
    figure: "perSecond",
    atLeast: 3,
  },
  {
    text: "mysql(): at least 1.3 of Express and one INSERT a delivery in 200s",
    name: "mysql",
    beside: "usual-mysql",
    figure: "perSecond",
    atLeast: 1.3,
  },
];

/**
 * Which goals are met. An engine that did not start has none.
 *
 * @param ratioOf - The median of the ratios of two candidates, each taken in one round; `undefined` without
 * one of them.
 */
export function receiverGoals(
  ratioOf: (name: string, beside: string, figure: Figure) => number | undefined,
): Goal[] {
  return GOALS.flatMap((goal) => {
    const { text, name, beside, figure } = goal;
    const { atLeast = 0, atMost = Number.POSITIVE_INFINITY } = goal;
    const found = ratioOf(name, beside, figure);
    if (found === undefined) return [];
    return [{ text: `${text} (${found.toFixed(2)})`, met: found >= atLeast && found <= atMost }];
  });
}
