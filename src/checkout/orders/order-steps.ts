// What is done with stored orders, as steps: each runs a statement and gets its result, at once in SQLite, later elsewhere.
import { isStorable } from "../../internal/storable-text.ts";
import { DAY_MS } from "../../internal/units.ts";
import type { Step as AnyStep, Steps as AnySteps, Row } from "../../storage/sql-steps.ts";
import { rolledBack } from "../../storage/transaction-end.ts";
import type { PaymentUpdate } from "../rules/inputs.ts";
import { type OrderState, openReviews, statusOf } from "../rules/order-state.ts";
import { REVIEW_DECISIONS } from "../rules/order-types.ts";
import {
  type Committed,
  type Decided,
  type DueOrder,
  type KnownStray,
  type LabelledOrder,
  labelOf,
  type OrderWrite,
  type PaymentNames,
  type Prompt,
  type Retained,
  type StoredOrder,
  type StoreQuery,
  type Stray,
  type StrayDecision,
} from "./checkout-store.ts";
import type { OrderStatement } from "./tables.ts";
import { MAX_LABELS } from "./typed-label.ts";

type Step = AnyStep<OrderStatement>;
type Steps<Returned> = AnySteps<OrderStatement, Returned>;

/** The rows of a query. */
function* rowsOf(step: Step): Steps<readonly Row[]> {
  return (yield step).rows;
}

/** The steps of a change. Its transaction is to be rolled back unless the result is `done`. */
export function* commitSteps(write: OrderWrite): Steps<Committed> {
  const { order, version, now, references, aliases } = write;
  const { id, createdAt } = order;
  const values = {
    id,
    version,
    now,
    at: createdAt,
    label: labelOf(order.accountReference),
    status: statusOf(order),
    has_review: openReviews(order).length > 0 ? 1 : 0,
    due_at: write.dueAt === undefined ? null : Math.ceil(write.dueAt),
    state: JSON.stringify(order),
  };
  const { changed } = yield [version === 0 ? "insert" : "update", values];
  if (changed === 0) {
    const isStale = version > 0 || (yield* rowsOf(["exists", { id }])).length > 0;
    if (isStale) return { state: "stale" };
    const asked = yield* rowsOf(["wasAsked", { id }]);
    return { state: asked.length > 0 ? "deleted" : "label_taken" };
  }
  for (const prompt of write.prompts) {
    const busy = yield* promptSteps(write, prompt);
    if (busy !== undefined) return busy;
  }
  const strays: PaymentUpdate[] = [];
  for (const reference of [...references, ...aliases]) {
    const bound = yield* bindSteps(reference, write);
    // An alias that is another order's stays so: the payment is known by its reference.
    if (bound === undefined && !aliases.includes(reference)) return { state: "foreign" };
    if (bound?.stray !== undefined) strays.push(bound.stray);
  }
  for (const line of write.lines ?? []) yield* addDecisionSteps(line);
  return { state: "done", strays };
}

/** A transaction of the merchant that reads what was there when it began never sees a payment that another one has bound. */
const MAX_BINDS = 3;

/** Makes a payment that of an order, with what was reported of it before. `undefined` if it is another order's. */
function* bindSteps(
  reference: string,
  { order: { id }, now }: OrderWrite,
): Steps<{ readonly stray?: PaymentUpdate } | undefined> {
  for (let tries = 0; tries < MAX_BINDS; tries++) {
    if ((yield ["bind", { reference, id, now }]).changed > 0) return {};
    const { changed } = yield ["bindStray", { reference, id }];
    const [row] = yield* rowsOf(["stray", { reference }]);
    // Another process has dropped it just now.
    if (row === undefined) continue;
    if (changed === 0) return undefined;
    return typeof row.report === "string" ? { stray: JSON.parse(row.report) } : {};
  }
  return undefined;
}

/** @throws {TransactionEndedError} if a change is not there any more after the merchant's code ran in its transaction. */
export function* checkWrittenSteps({ order, version }: OrderWrite): Steps<void> {
  const { stored } = yield* readSteps(order.id);
  if ((stored?.version ?? 0) <= version) throw rolledBack("onPaid");
}

function* promptSteps(write: OrderWrite, prompt: Prompt): Steps<Committed | undefined> {
  const { order, now, limits } = write;
  const { number, phone, at, state } = prompt;
  const { id } = order;
  if (state === "none") {
    yield ["dropPrompt", { id, number }];
    return undefined;
  }
  if (state === "new") {
    yield ["lock", { name: phone }];
    const between = { since: now - DAY_MS, until: now + limits.withinMs };
    const rows = yield* rowsOf(["prompts", { phone, ...between }]);
    const asked = rows.map((row) => ({
      ...{ at: Number(row.at), state: Number(row.is_open) },
      isOther: row.order_id !== id,
    }));
    const open = asked.find((one) => one.isOther && one.state === PROMPT_STATES.open);
    const openUntil = (open?.at ?? Number.NEGATIVE_INFINITY) + limits.openMs;
    if (openUntil > now) return { state: "busy", by: "open", until: openUntil };
    const last = asked[limits.prompts - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const unpaid = asked.filter((one) => one.state !== PROMPT_STATES.paid);
    const lastUnpaid = unpaid[UNPAID_PER_DAY * limits.prompts - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const until = Math.max(last + limits.withinMs, lastUnpaid + DAY_MS);
    if (until > now) return { state: "busy", by: "limit", until };
  }
  const is_open = PROMPT_STATES[state];
  const { changed } = yield ["prompt", { id, number, phone, at, is_open }];
  if (changed === 0) yield ["updatePrompt", { id, number, is_open }];
  return undefined;
}

/** How many prompts a phone gets in a day that are not approved, as a multiple of those of ten minutes. */
const UNPAID_PER_DAY = 2;
/** The column `is_open`. Before the limit of a day, a paid prompt was written as an ended one. */
const PROMPT_STATES = { ended: 0, new: 1, open: 1, paid: 2 };

/** What is longer names nothing that is stored. */
const MAX_NAME = 1_000;

/** A text to look for; `""`, which names nothing, for one that no database holds. */
const known = (name: string): string => (name.length <= MAX_NAME && isStorable(name) ? name : "");

/** The clock of the store, and an order. */
export function* readSteps(
  id: string,
  isMadeSince = false,
): Steps<{ readonly now: number; readonly stored: StoredOrder | undefined }> {
  const values = { id: known(id) };
  const locked = isMadeSince ? yield* rowsOf(["readLocked", values]) : [];
  const [row] = locked.length > 0 ? locked : yield* rowsOf(["read", values]);
  const order: OrderState | undefined = row?.state ? JSON.parse(String(row.state)) : undefined;
  return { now: Number(row?.now), stored: order && { version: Number(row?.version), order } };
}

function* ordersOf(step: Step): Steps<OrderState[]> {
  return (yield* rowsOf(step)).map(({ state }) => JSON.parse(String(state)));
}

/** The orders of a list, from an index. */
export function listSteps(query: StoreQuery): Steps<OrderState[]> {
  const { status, review, isDue = false, after, limit } = query;
  const name = isDue
    ? "listDue"
    : review
      ? "listReview"
      : status === undefined
        ? "list"
        : "listStatus";
  const from = { after_at: after?.at ?? -1, after_id: after?.id ?? "" };
  return ordersOf([name, { status: status ?? null, ...from, count: limit + 1 }]);
}

export const byPhoneSteps = (phone: string, count: number): Steps<OrderState[]> =>
  ordersOf(["byPhone", { phone, count }]);

/** Due orders, each once. */
export function* dueSteps(count: number): Steps<DueOrder[]> {
  const rows = yield* rowsOf(["due", { count }]);
  const found = new Map(rows.map(({ id, status }) => [String(id), status === "paid"]));
  return [...found].map(([id, isPaid]) => ({ id, isPaid }));
}

export function* orderOfSteps({
  reference,
  alias,
  label,
}: PaymentNames): Steps<string | undefined> {
  for (const name of [reference, alias]) {
    if (name === undefined) continue;
    const [bound] = yield* rowsOf(["byReference", { reference: known(name) }]);
    if (bound !== undefined) return String(bound.order_id);
  }
  if (label === undefined) return undefined;
  const [named] = yield* rowsOf(["byLabel", { label: known(labelOf(label)) }]);
  return named && String(named.id);
}

/** The orders that have one of some labels. */
export function* labelledSteps(labels: readonly string[]): Steps<LabelledOrder[]> {
  // The statement has a fixed number of places.
  const places = Array.from({ length: MAX_LABELS }, (_, at) => labels[at] ?? labels[0] ?? "");
  const values = Object.fromEntries(places.map((label, at) => [`l${at}`, known(label)]));
  const rows = yield* rowsOf(["byLabels", values]);
  return rows.map(({ id, label, status }) => ({
    ...{ id: String(id), label: String(label), status: String(status) },
  }));
}

/** A report as it is stored, with who has decided about its payment. */
type StoredReport = PaymentUpdate & { readonly decided?: Decided };

/** How many of the reports without an order are dropped when another report is stored. */
const MAX_DROPPED = 20;

function* dropStraysSteps(): Steps<void> {
  for (const { reference } of yield* rowsOf(["forgotten", { count: MAX_DROPPED }])) {
    yield ["drop", { reference: String(reference) }];
  }
}

export function* keepSteps(
  report: PaymentUpdate,
  isReview: boolean,
  isForeign: boolean,
): Steps<Retained> {
  const { reference } = report;
  const review = isReview ? "open" : null;
  const is_foreign = isForeign ? 1 : 0;
  for (;;) {
    const added = yield ["keep", { reference, report: JSON.stringify(report), review }];
    if (added.changed > 0) {
      yield* dropStraysSteps();
      return "new";
    }
    // Two processes that learn something of a payment at once write one after the other.
    const [stored] = yield* rowsOf(["strayLocked", { reference }]);
    // Another process has dropped it just now.
    if (stored === undefined) continue;
    const before: StoredReport | undefined = stored.report && JSON.parse(String(stored.report));
    const { decided } = before ?? {};
    // A payment that was completed stays so.
    const latest =
      before?.status === "completed" ? before : { ...report, ...(decided && { decided }) };
    const values = { reference, report: JSON.stringify(latest), review, is_foreign };
    if ((yield ["keepAgain", values]).changed === 0) return "bound";
    const isReviewed = stored.review !== null && stored.review !== "closed";
    return before === undefined || (isReview && !isReviewed) ? "new" : "known";
  }
}

/** Payments without an order that a person must look at. */
export function* unmatchedSteps(count: number): Steps<Stray[]> {
  const rows = yield* rowsOf(["unmatched", { count }]);
  return rows.map(({ report, at }) => ({ report: JSON.parse(String(report)), at: Number(at) }));
}

/** When a payment without an order was first seen, and what a person has decided about it. */
export function* strayStateSteps(reference: string): Steps<KnownStray | undefined> {
  const [row] = yield* rowsOf(["stray", { reference: known(reference) }]);
  if (row === undefined) return undefined;
  const report: StoredReport | undefined = row.report ? JSON.parse(String(row.report)) : undefined;
  const decision = REVIEW_DECISIONS.find((one) => one === row.review);
  const isClosed = row.review === "closed";
  return { at: Number(row.at), report, decision, isClosed, decided: report?.decided };
}

/** Ends the review of a payment without an order, unless it has ended. */
export function* resolveSteps(
  reference: string,
  { decision, lines, ...said }: StrayDecision,
): Steps<boolean> {
  const { now: at } = yield* readSteps("");
  const [row] = yield* rowsOf(["strayLocked", { reference: known(reference) }]);
  if (row?.review !== "open") return false;
  const decided: Decided = { at, ...said };
  const report = JSON.stringify({ ...JSON.parse(String(row.report)), decided });
  yield ["resolve", { reference, decision, report }];
  for (const line of lines) yield* addDecisionSteps(line);
  return true;
}

/** One after another: the line that was added first must be the first one that every process reads. */
export function* addDecisionSteps(line: object): Steps<void> {
  yield ["lock", { name: "decisions" }];
  yield ["addDecision", { line: JSON.stringify(line) }];
}

/** The last decisions, in the order in which they were added. */
export function* decisionsSteps(count: number): Steps<object[]> {
  const rows = yield* rowsOf(["decisions", { count }]);
  return rows.map(({ line }) => JSON.parse(String(line))).reverse();
}
