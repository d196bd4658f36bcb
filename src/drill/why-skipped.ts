// What a case needs of a shop: without it, the case is not run.
import { type Act, type DrillCase, GROUPS, type ManagingAct, type Subject } from "./cases.ts";
import { NOT_GIVEN, type Untried } from "./drill-options.ts";
import type { DrillSettings } from "./drill-settings.ts";

type OfShop = Exclude<Untried, "statements" | "connection">;

/** What a shop must have for a case with such an act. */
const NEEDS: Readonly<
  Record<ManagingAct, readonly OfShop[]> & Partial<Record<Act, readonly OfShop[]>>
> = {
  again: ["again"],
  tabs: ["again"],
  lateWhileWaiting: ["again"],
  failedWhileWaiting: ["again"],
  lateAfterPaying: ["again"],
  lastPiece: ["stock"],
  clicks: ["clicks"],
  cancelOpen: ["cancel"],
  cancelLate: ["cancel"],
  cancelMeanwhile: ["cancel"],
  cancelAsPaid: ["cancel"],
  refund: ["refund"],
  refundAgain: ["refund"],
  cancelTwice: ["cancel"],
  refundTwice: ["refund"],
  updateOpen: ["update", "again"],
  updateMeanwhile: ["update", "again"],
  part: ["parts", "again"],
  partMeanwhile: ["parts", "again"],
};

/** Why a case cannot be run with a shop. */
export function whySkipped(
  { group, act, faults }: DrillCase,
  settings: DrillSettings,
  seen: ReadonlySet<Subject>,
): string | undefined {
  const { order, without } = settings;
  const has: Readonly<Record<OfShop, boolean>> = {
    again: settings.again !== undefined,
    processes: settings.processes > 1,
    effects: settings.effects !== undefined,
    stock: settings.lastPiece !== undefined,
    cancel: settings.cancel !== undefined,
    refund: settings.refund !== undefined,
    update: settings.update !== undefined,
    parts: settings.partPayments,
    clicks: !without.includes("clicks"),
  };
  const needed = group === "processes" ? (["processes"] as const) : act && NEEDS[act];
  const missing = needed?.find((name) => !has[name]);
  if (missing !== undefined) return NOT_GIVEN[missing][0];
  if (act?.startsWith("amount") && !`${order.path} ${order.body}`.includes("{amount}")) {
    return "the order sends no {amount}";
  }
  const unseen = faults.find(({ subject }) => !seen.has(subject));
  if (unseen === undefined) return undefined;
  return unseen.subject === "read"
    ? "they disturb a read of the payment, and the shop makes none when the webhook comes"
    : `the shop gets no such webhook: ${GROUPS[group]}`;
}
