import type { Goal } from "../table.ts";

/** The store of a candidate. */
export type Store = "none" | "file" | "redis" | "postgres";

/** Every receiver that is measured, in the order of the table. The first one is what others are compared with. */
export const LINEUP: readonly (readonly [name: string, store: Store, title: string])[] = [
  ["bare", "none", "bare: node:http that only returns 200"],
  ["floor-verified", "none", "floor: bare + createHmac + JSON.parse"],
  ["nothing", "none", "malipo, verified, answered, stored nowhere"],
  ["memory", "none", "malipo, memoryInbox"],
  ["floor-sqlite", "file", "floor: + node:sqlite group commit + fdatasync, no worker"],
  ["sqlite", "file", "malipo, sqliteInbox"],
  ["sqlite-only", "file", "malipo, sqliteInbox, processed elsewhere"],
  ["usual", "redis", "usual: Express + constructEvent + queue.add"],
  ["floor-bullmq", "redis", "floor: + addBulk in groups, no worker"],
  ["bullmq", "redis", "malipo, bullmqInbox"],
  ["usual-pg-boss", "postgres", "usual: Express + constructEvent + boss.send"],
  ["floor-pg-boss", "postgres", "floor: + grouped INSERT ... json_to_recordset, no worker"],
  ["pg-boss", "postgres", "malipo, pgBossInbox"],
];

/** The medians of a candidate. */
export interface Figures {
  /** 200s, against those of the bare server that was measured just before. */
  readonly ratio: number;
  /** Events processed, against the same. */
  readonly processedRatio: number;
  /** CPU time of the process for one delivery. */
  readonly cpuUs: number;
}

interface GoalRow {
  readonly text: string;
  /** The candidates that it needs. */
  readonly of: readonly string[];
  /** How far it is: compared with `atLeast`, or with `atMost`. */
  readonly value: (...figures: readonly Figures[]) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const share = (one?: Figures, other?: Figures): number => (one?.ratio ?? 0) / (other?.ratio ?? 1);
const processed = (one?: Figures, other?: Figures): number =>
  (one?.processedRatio ?? 0) / (other?.processedRatio ?? 1);

const GOALS: readonly GoalRow[] = [
  {
    text: "verified, answered, stored nowhere: at most 65 us of CPU time a delivery",
    of: ["nothing"],
    value: (one) => one?.cpuUs ?? Number.NaN,
    atMost: 65,
  },
  {
    text: "sqliteInbox: at least 1.5 of the usual one in 200s",
    of: ["sqlite", "usual"],
    value: share,
    atLeast: 1.5,
  },
  {
    text: "sqliteInbox: at least 0.5 of its floor in 200s",
    of: ["sqlite", "floor-sqlite"],
    value: share,
    atLeast: 0.5,
  },
  {
    text: "bullmqInbox: at least 1.0 of the usual one in 200s",
    of: ["bullmq", "usual"],
    value: share,
    atLeast: 1,
  },
  {
    text: "bullmqInbox: at least 0.75 of the usual one in events processed",
    of: ["bullmq", "usual"],
    value: processed,
    atLeast: 0.75,
  },
  {
    text: "pgBossInbox: at least 3.0 of Express and `boss.send` in 200s",
    of: ["pg-boss", "usual-pg-boss"],
    value: share,
    atLeast: 3,
  },
];

/** Which goals are met. An engine that did not start has none. */
export function receiverGoals(figures: ReadonlyMap<string, Figures>): Goal[] {
  return GOALS.flatMap(({ text, of, value, atLeast = 0, atMost = Number.POSITIVE_INFINITY }) => {
    const measured = of.map((name) => figures.get(name));
    if (measured.includes(undefined)) return [];
    const found = value(...(measured as Figures[]));
    return [{ text: `${text} (${found.toFixed(2)})`, met: found >= atLeast && found <= atMost }];
  });
}
