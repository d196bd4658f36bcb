import { sha256Hex } from "#hmac";
import { EVENT_KINDS, type EventKind, type WebhookEvent } from "../../contract/events.ts";
import { canonicalJson } from "../../internal/canonical-json.ts";
import { isObject } from "../../internal/is-object.ts";
import type { ReadEvent } from "../verification/payload.ts";

// A number above 2^53 was rounded by the parser, and may be the number of another payment too.
const isUsableId = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

/** What duplicates of an event are recognised by. */
export interface EventIdentity {
  /** The same for every delivery of the event. */
  readonly key: string;
  /** The key without the last of the {@link IdentityParts}; `undefined` without any. */
  readonly formerKey: string | undefined;
  /** The same for every delivery with the same data: see {@link decisiveData}. */
  readonly digest: string;
}

/** What tells an event from others, beside its own fields. */
export interface IdentityParts {
  /** The user's own, instead of the reference. */
  readonly identity?: string | undefined;
  /** Whose event it is: two merchants may have the same references. */
  readonly merchant?: string | undefined;
  /** The status in its data, if its kind names another one. */
  readonly status?: string | undefined;
}

/**
 * The identity of an event: its kind with `data.reference`, or with `data.payment_id`, or with the
 * digest of the raw bytes; or its kind with the `identity` of the user. A changed `timestamp`
 * makes neither another event nor a conflict.
 *
 * @see docs/reference/events.md, "Events and deliveries"
 */
export function eventIdentity(
  { event, text }: ReadEvent,
  raw: string | Uint8Array,
  { identity, merchant, status }: IdentityParts = {},
): EventIdentity {
  const id = idOf(event.data, raw);
  const ofIdentity = identity === undefined ? id : (["identify", identity] as const);
  const ofMerchant = merchant === undefined ? [] : ["merchant", merchant];
  const ofStatus = status === undefined ? [] : ["status", status];
  const keyOf = (...parts: readonly unknown[]) => keyFor(event.event, parts);
  let formerKey: string | undefined;
  if (identity !== undefined) formerKey = keyOf(...id, ...ofMerchant);
  else if (merchant !== undefined) formerKey = keyOf(...id);
  const data = decisiveData(event.event, id[0] === "raw" ? "" : id[1], exactData(event, text));
  return {
    key: keyOf(...ofIdentity, ...ofMerchant, ...ofStatus),
    formerKey: status === undefined ? formerKey : undefined,
    digest: sha256Hex(canonicalJson(data)),
  };
}

// As JSON, so that `1` and `"1"` differ, and no reference can be read as part of a kind.
const keyFor = (kind: string, parts: readonly unknown[]): string =>
  sha256Hex(JSON.stringify([kind, ...parts]));

/** The keys that the events of a payment have by its reference or id, without `identify` and a merchant. */
export function keysOfPayment(name: string): string[] {
  const ids: readonly (readonly [string, unknown])[] = [
    ["reference", name],
    ["payment_id", name],
    ...(/^[1-9]\d{0,14}$/.test(name) ? [["payment_id", Number(name)] as const] : []),
  ];
  return EVENT_KINDS.flatMap((kind) => ids.map((id) => keyFor(kind, id)));
}

function idOf(
  { reference, payment_id }: WebhookEvent["data"],
  raw: string | Uint8Array,
): readonly [name: string, id: unknown] {
  if (isUsableId(reference)) return ["reference", reference];
  if (isUsableId(payment_id)) return ["payment_id", payment_id];
  return ["raw", sha256Hex(raw)];
}

const PAID = ["status", "amount", "currency", "account_reference"];

/** The whole data. */
const ALL = undefined;

/**
 * What tells two versions of a payment apart, by the kind of its event: the fields that both the webhook
 * and a read of the payment have. The documented data of a failed payment has fewer.
 *
 * The digests are part of what is stored, so these rows never change: versions side by side must find
 * the same digest. For that reason a kind that the service documents later is `ALL`, as it is for
 * the versions that do not know it.
 */
const FIELDS: Readonly<
  Record<Extract<EventKind, `payment.${string}`>, readonly string[] | typeof ALL>
> = {
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
function decisiveData(kind: string, id: unknown, exact: unknown): unknown {
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind as keyof typeof FIELDS] : ALL;
  const data = exact as Record<string, unknown>;
  const amount = comparedText(data.amount);
  // Without an amount, nothing says that two deliveries are about the same money.
  if (fields === ALL || amount === undefined) return data;
  const values = fields.map((name) => [name, comparedText(data[name])]);
  return { id, ...Object.fromEntries(values), amount: decimalOf(amount) };
}

/** Numbers and texts are alike. Of another value, the value. */
function comparedText(value: unknown): unknown {
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

// Cheap, for every body. It also finds some texts, which costs only time.
const MAY_HAVE_ROUNDED_NUMBER = /[[:,\s]-?(?:[\d.]{16}|[\d.]+e)/i;

const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.]*(?:e[+-]?\d+)?/gi;

/** Every number of at most 15 digits that is neither huge nor tiny survives a parser. */
function isRounded(token: string): boolean {
  if (token === '"' || token.startsWith("\\")) return false;
  const [mantissa = ""] = token.toLowerCase().split("e");
  if (mantissa.replace(/[-.]/g, "").length > 15) return true;
  if (!/[1-9]/.test(mantissa)) return false;
  const size = Math.abs(Number(token));
  return size < 1e-290 || size > 1e300;
}

/**
 * The data of an event for its digest. A parser rounds numbers past 2^53, so that two amounts or ids
 * become one: here such numbers stay as they are in the text of the body.
 */
function exactData({ data }: WebhookEvent, text: string): unknown {
  if (!MAY_HAVE_ROUNDED_NUMBER.test(text)) return data;
  let isInText = false;
  const exact = text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
    if (token === '"') isInText = !isInText;
    return isInText || !isRounded(token) ? token : `{"\\u0000":"${token}"}`;
  });
  return (JSON.parse(exact) as WebhookEvent).data;
}
