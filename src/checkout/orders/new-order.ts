import { accountReferenceFor } from "../../contract/account-reference.ts";
import { InvalidParamsError } from "../../errors/configuration.ts";
import { OrderConflictError } from "../../errors/order.ts";
import { canonicalJson } from "../../internal/canonical-json.ts";
import { isObject } from "../../internal/is-object.ts";
import { isStorable } from "../../internal/storable-text.ts";
import type { OrderState } from "../rules/order-state.ts";
import { labelOf } from "./checkout-store.ts";
import { readAmount } from "./order-amount.ts";
import type { WrittenOrder } from "./write-order.ts";

/** An order that is to be paid. */
export interface NewOrder {
  /**
   * Your id. It names the order for ever, also in the idempotency keys of its attempts: if you delete the row
   * of an order whose customer was asked, its id cannot be used again.
   */
  id: string;
  /**
   * The whole amount, which only `update` changes, in the unit of the currency: shillings, not cents. A number with at most two decimals, or
   * `"1500.00"`; without decimals if the currency has none (UGX, RWF, XOF, XAF).
   */
  amount: number | string;
  /** Only that of the checkout: the service charges no other one. */
  currency?: string | undefined;
  /** What the customer sees beside the amount. */
  description?: string | undefined;
  /** The label of its payments, at most 12 characters. Default: one that is made from the id. */
  accountReference?: string | undefined;
  /** Your own data, such as what is bought. It is a part of the order, also of what a page gets; only `update` changes it. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** When the order can no longer be paid. An attempt that is under way then may still end. */
  expiresAt?: Date | string | undefined;
}

const MAX_ID = 200;
/** An order is written whole at each change. */
const MAX_METADATA = 50_000;

export const invalid = (call: string, field: string, message: string): InvalidParamsError =>
  new InvalidParamsError(`${call}: \`${field}\` is invalid: ${message}. Nothing was sent.`, [
    { path: [field], message },
  ]);

/** The last attempt that a page showed, as a number or as the text of a form. */
export function checkAfter(after: unknown): number | undefined {
  if (after === undefined) return undefined;
  const number = typeof after === "string" && /^\d{1,6}$/.test(after) ? Number(after) : after;
  if (Number.isSafeInteger(number) && (number as number) >= 0) return number as number;
  throw invalid("pay", "after", "expected the number of the last attempt, 0 for none");
}

/** @throws {InvalidParamsError} */
export function checkAmount(call: string, given: unknown, currency: string): string {
  const read = readAmount(given, currency);
  if ("wrong" in read) throw invalid(call, "amount", read.wrong);
  return read.amount;
}

/** @throws {InvalidParamsError} */
export function checkDescription(call: string, description: unknown): string | undefined {
  if (description === undefined || typeof description === "string") return description;
  throw invalid(call, "description", "expected a string");
}

export function checkOrder(call: string, params: NewOrder, currency: string) {
  if (!isObject(params)) throw invalid(call, "order", "expected an object");
  const { id, metadata = {}, expiresAt } = params;
  const isId = typeof id === "string" && id !== "" && id.length <= MAX_ID && isStorable(id);
  if (!isId) throw invalid(call, "id", `expected a string of 1 to ${MAX_ID} characters`);
  const amount = checkAmount(call, params.amount, currency);
  const description = checkDescription(call, params.description);
  const own = checkMetadata(call, metadata);
  const isDate =
    expiresAt === undefined || typeof expiresAt === "string" || expiresAt instanceof Date;
  if (!isDate) throw invalid(call, "expiresAt", "expected a Date or a string");
  const expires = expiresAt === undefined ? undefined : new Date(expiresAt).getTime();
  if (Number.isNaN(expires)) throw invalid(call, "expiresAt", "expected a date");
  const code = String(params.currency ?? currency).toUpperCase();
  if (code !== currency) throw invalid(call, "currency", `expected ${currency}`);
  return {
    id,
    amount,
    currency,
    metadata: own,
    ...(description !== undefined && { description }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

/** @throws {InvalidParamsError} */
export function checkMetadata(call: string, metadata: unknown): Record<string, unknown> {
  if (!isObject(metadata)) throw invalid(call, "metadata", "expected an object");
  let text: string | undefined;
  try {
    text = JSON.stringify(metadata);
  } catch (error) {
    // As of an object that contains itself.
    const fault = /bigint/i.test(String(error))
      ? "a BigInt: write it as a text, String(value)"
      : "one that JSON cannot hold";
    throw invalid(call, "metadata", `expected JSON, got ${fault}`);
  }
  if (text === undefined || text.length > MAX_METADATA) {
    throw invalid(call, "metadata", `expected JSON of at most ${MAX_METADATA} characters`);
  }
  return JSON.parse(text);
}

export function referenceFor(call: string, params: NewOrder, prefix: string, salt: number): string {
  const { id, accountReference } = params;
  if (accountReference === undefined) {
    return accountReferenceFor(salt === 0 ? id : `${id}#${salt}`, { prefix });
  }
  const isText =
    typeof accountReference === "string" &&
    accountReference.trim() !== "" &&
    isStorable(accountReference);
  if (isText && [...accountReference].length <= 12 && accountReference.startsWith(prefix)) {
    return accountReference;
  }
  const begins = prefix === "" ? "" : `, which begin with ${prefix}`;
  throw invalid(call, "accountReference", `expected 1 to 12 characters${begins}`);
}

/** What of a known order is given again and differs: with another item, it is another order. */
export function differenceOf(given: NewOrder, stored: OrderState): string | undefined {
  const { metadata, accountReference = stored.accountReference } = given;
  if (labelOf(accountReference) !== labelOf(stored.accountReference)) return "accountReference";
  // As it was stored: without what JSON has no word for.
  const plain = (value: unknown) => canonicalJson(JSON.parse(JSON.stringify(value)));
  const isSame = metadata === undefined || plain(metadata) === plain(stored.metadata);
  return isSame ? undefined : "metadata";
}

/** Why an order can never be made; `undefined` if it may be tried again. */
export function conflictOf(
  call: string,
  { id, accountReference }: NewOrder,
  why: WrittenOrder["notMade"],
): OrderConflictError | undefined {
  if (why === "deleted") {
    return new OrderConflictError(
      `${call}: an order ${JSON.stringify(id)} was deleted after its customer was asked. Nothing was sent. Use a new id for another order.`,
      id,
    );
  }
  if (why !== "label_taken" || accountReference === undefined) return undefined;
  return new OrderConflictError(
    `${call}: another order has the account reference ${JSON.stringify(accountReference)}. Nothing was sent.`,
    id,
  );
}

type Checked = ReturnType<typeof checkOrder>;

export const newOrder = (
  order: Checked,
  accountReference: string,
  {
    attemptLimit,
    partPayments,
  }: { readonly attemptLimit: number; readonly partPayments: "count" | "review" },
  now: number,
): OrderState => ({
  ...order,
  accountReference,
  attemptLimit,
  ...(partPayments === "review" && { partPayments }),
  attempts: [],
  money: [],
  reviews: [],
  createdAt: now,
  updatedAt: now,
});
