import { isObject } from "../../../internal/is-object.ts";

const PAID = ["status", "amount", "currency", "account_reference"];

/**
 * What tells two versions of a payment apart, by the kind of its event: the fields that both the webhook
 * and a read of the payment have. The documented data of a failed payment has fewer.
 */
const FIELDS: Readonly<Record<string, readonly string[] | undefined>> = {
  "payment.initiated": PAID,
  "payment.completed": PAID,
  "payment.failed": ["status", "amount"],
};

/** Longer amounts are compared as they are. */
const MAX_AMOUNT_LENGTH = 40;

/**
 * The part of an event's data that decides whether a second delivery is a duplicate or a conflict: the
 * whole data, except for payments: other fields of them may differ between a webhook and a read.
 *
 * @param id - The reference or the payment id.
 * @param exact - The data, with an object that holds the text of each number that a parser rounds.
 */
export function decisiveData(kind: string, id: unknown, exact: unknown): unknown {
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : undefined;
  const data = exact as Record<string, unknown>;
  const amount = textOf(data.amount);
  // Without an amount, nothing says that two deliveries are about the same money.
  if (fields === undefined || amount === undefined) return data;
  const values = fields.map((name) => [name, textOf(data[name])]);
  return { id, ...Object.fromEntries(values), amount: decimalOf(amount) };
}

/** Numbers and texts are alike. Of another value, the value. */
function textOf(value: unknown): unknown {
  if (value === null || value === "") return undefined;
  if (typeof value === "number") return String(value);
  return isObject(value) && typeof value["\u0000"] === "string" ? value["\u0000"] : value;
}

/** A decimal without the zeros that do not count: `"100.00"` and `"100"` are one amount. */
function decimalOf(amount: unknown): unknown {
  if (typeof amount !== "string" || amount.length > MAX_AMOUNT_LENGTH) return amount;
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (sign === undefined) return amount;
  const decimals = fraction.replace(/(?<!0)0+$/, "");
  return `${sign}${whole.replace(/^0+(?=\d)/, "")}${decimals && `.${decimals}`}`;
}
