// What the rejection of a prompt is about, told from its status and from the fields that it names: a customer can do
// something about the phone number alone.
import { type AnyGatewayError, isGatewayError } from "../../errors/any.ts";
import { isObject } from "../../internal/is-object.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { type Message, messageOf, type ReasonCode } from "./customer-messages.ts";
import type { RejectionAbout } from "./order-types.ts";

/** Whether the merchant must do something about it, and no customer can. */
export const isOfMerchant = (about: RejectionAbout | undefined): boolean =>
  about === "shop" || about === "amount";

/** Why a prompt was not sent. */
export interface Rejection extends Message {
  readonly about: RejectionAbout;
  /** For the merchant. Phones are masked. */
  readonly reason: string;
}

/** What the customer reads. */
const TOLD = {
  phone: "rejected_phone",
  amount: "rejected_amount",
  shop: "rejected_shop",
  moment: "service_busy",
} as const satisfies Readonly<Record<RejectionAbout, ReasonCode>>;

/** By the code of the error; `named` if its fields decide. */
const BY_CODE: Readonly<Partial<Record<AnyGatewayError["code"], RejectionAbout | "named">>> = {
  authentication: "shop",
  permission: "shop",
  not_found: "shop",
  configuration: "shop",
  key_type: "shop",
  invalid_request: "named",
  invalid_params: "named",
  conflict: "named",
  api: "named",
  rate_limit: "moment",
};

/** How services name the fields, in the order in which they decide. */
const FIELDS: readonly (readonly [RejectionAbout, RegExp])[] = [
  ["phone", /phone|msisdn|mobile_?(?:number|no)|party_?a$|subscriber/i],
  ["amount", /amount/i],
];
/** The same in a sentence. "The amount is over the limit of this phone" is about the amount. */
const WORDS: readonly (readonly [RejectionAbout, RegExp])[] = [
  ["amount", /\bamount/i],
  ["phone", /phone ?(?:number|no)|\bphone\b|msisdn|mobile (?:number|no)\b|party ?a\b|subscriber/i],
];

/** Where a body has its problems by field. Its other parts may repeat the request. */
const PROBLEMS =
  /^(?:errors?$|fields?$|issues?$|details?$|violations$|problems$|invalid|validation)/i;
/** Where a problem repeats what was sent. */
const ECHO = /^(?:input|value|request|received|given)$/i;
/** Where a problem has the name of its field. */
const NAMES =
  /^(?:field\w*|name|path|param(?:eter)?|property\w*|loc|location|pointer|attribute|target)$/i;
const SENTENCES = /message|error|detail|description|reason|title|msg/i;

const MAX_DEPTH = 5;
const MAX_REASON = 300;

/** The names of the fields that a body complains about, and its sentences. */
function* namesIn(
  value: unknown,
  isProblem: boolean,
  depth = 0,
): Generator<{ readonly field?: string; readonly sentence?: string }> {
  if (typeof value === "string") yield { sentence: value };
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, 50)) yield* namesIn(one, isProblem, depth + 1);
    return;
  }
  for (const [name, inner] of Object.entries(value).slice(0, 50)) {
    if (ECHO.test(name)) continue;
    if (NAMES.test(name) && !isObject(inner)) yield { field: String(inner) };
    // An object of problems has one for each field, by its name.
    else if (isProblem && !SENTENCES.test(name)) yield { field: name };
    if (isObject(inner) || Array.isArray(inner)) {
      yield* namesIn(inner, isProblem || PROBLEMS.test(name), depth + 1);
    } else if (isProblem || SENTENCES.test(name)) yield* namesIn(inner, isProblem, depth + 1);
  }
}

const firstOf = (
  texts: readonly (string | undefined)[],
  table: typeof FIELDS,
): RejectionAbout | undefined =>
  table.find(([, pattern]) => texts.some((one) => one !== undefined && pattern.test(one)))?.[0];

/** What is named by the fields of an error; without any, by its sentences. */
function namedBy(error: AnyGatewayError): RejectionAbout {
  if (error.code === "invalid_params") {
    return (
      firstOf(
        error.issues.map(({ path }) => path.join(".")),
        FIELDS,
      ) ?? "shop"
    );
  }
  const named = [...namesIn("body" in error ? error.body : undefined, false)];
  const fields = named.map(({ field }) => field);
  const sentences = named.map(({ sentence }) => sentence);
  return firstOf(fields, FIELDS) ?? firstOf(sentences, WORDS) ?? "shop";
}

/** One line, as it is stored and shown. */
function reasonOf(text: string): string {
  const letters = [
    ...maskPhones(text)
      .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ")
      .trim(),
  ];
  const isLong = letters.length > MAX_REASON;
  return letters.slice(0, MAX_REASON).join("") + (isLong ? "..." : "");
}

/** What it means that the call of a prompt failed, if it is certain that the customer was not asked. */
export function rejectionOf(error: unknown): Rejection {
  if (!isGatewayError(error)) {
    return { about: "moment", ...messageOf("not_sent"), reason: reasonOf(String(error)) };
  }
  const found = BY_CODE[error.code] ?? (error.outcome === "rejected" ? "named" : undefined);
  const about = found === "named" ? namedBy(error) : (found ?? "moment");
  const code = found === undefined ? "not_sent" : TOLD[about];
  return { about, ...messageOf(code), reason: reasonOf(error.message) };
}
