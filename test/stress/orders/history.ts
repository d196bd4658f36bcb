import type { Decided } from "./deciders.ts";
import type { AskedWithoutFile } from "./lost-file.ts";
import type { Report } from "./messages.ts";
import type { Incident, PlannedOrder } from "./plan.ts";

/** Everything that happened in a campaign and that its end does not show. */
export interface History {
  /** What processes reported, and which of them. */
  readonly reports: readonly {
    readonly report: Report;
    readonly shop: object;
    readonly at: number;
  }[];
  /** The incidents: from when to when a process stood at its point. */
  readonly incidents: readonly {
    readonly order: PlannedOrder;
    readonly incident: Incident;
    readonly shop: object;
    readonly from: number;
    readonly until: number;
  }[];
  /** The processes that were killed. */
  readonly killed: readonly { readonly shop: object; readonly at: number }[];
  /** When the engine had a fault, or its file was away. */
  readonly harms: readonly { readonly from: number; readonly until: number }[];
  /** The reviews that two people have decided. */
  readonly decided: readonly Decided[];
  /** What was asked while the file was away. */
  readonly withoutFile: readonly AskedWithoutFile[];
  /** Orders that the merchant has canceled. */
  readonly canceled: readonly string[];
  /** Orders of which a customer or a merchant got an answer. */
  readonly answered: ReadonlySet<string>;
  /** How often each other event happened, by their names. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Whether another process than its own has changed an order in this way, in a time. */
export const changedByOther = (
  { reports }: History,
  order: string,
  by: string,
  {
    shop: own,
    from,
    until = Number.POSITIVE_INFINITY,
  }: { shop: object; from: number; until?: number },
): boolean =>
  reports.some(
    ({ report, shop, at }) =>
      report.what === "changed" &&
      report.order === order &&
      report.by === by &&
      shop !== own &&
      from < at &&
      at < until,
  );

/** A try may have been interrupted by what happened within this time. */
const TRY_MS = 5_000;

/** How many wrong tries of an order may not have come to their end, since their process or the engine died. */
export const interruptedTries = ({ reports, killed, harms }: History, order: string): number =>
  reports.filter(({ report, shop, at }) => {
    if (report.what !== "wrong" || report.order !== order) return false;
    const isKilled = killed.some((one) => one.shop === shop && one.at > at && one.at < at + TRY_MS);
    return isKilled || harms.some(({ from, until }) => from < at + TRY_MS && until > at - TRY_MS);
  }).length;
