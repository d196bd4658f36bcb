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
