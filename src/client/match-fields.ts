import { countryOfCurrency } from "../contract/countries.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import type { MatchFields } from "../idempotency/idempotency-store.ts";
import { isObject } from "../internal/is-object.ts";
import { idText } from "../internal/json.ts";

const PAYMENT_PATHS: ReadonlySet<string> = new Set([
  ENDPOINTS["payments.initiate"].path,
  ENDPOINTS["mobileMoney.initiate"].path,
]);

/** `100`, `"100"` and `"100.00"` are one amount; `"100.004"` is another one. */
function amountOf(value: unknown): string | undefined {
  const text = typeof value === "object" ? "" : String(value).trim();
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return `${whole.replace(/^0+(?=\d)/, "")}.${fraction.replace(/(?<!0)0+$/, "").padEnd(2, "0")}`;
}

/** The digits that tell two subscribers of a country apart. */
const SUBSCRIBER_DIGITS = 9;

/** The digits of a number with its calling code. `undefined` for one without, and for one that is masked. */
function wholeNumber(value: unknown): string | undefined {
  const digits = digitsOf(value)?.replace(/^00/, "");
  const isWhole = digits !== undefined && digits.length > SUBSCRIBER_DIGITS && digits[0] !== "0";
  return isWhole ? digits : undefined;
}

/** The last nine digits of a number, which it has with and without its calling code. */
const subscriberNumber = (value: unknown): string | undefined =>
  digitsOf(value)?.slice(-SUBSCRIBER_DIGITS);

function digitsOf(value: unknown): string | undefined {
  const text = idText(value) ?? "";
  const digits = text.replace(/\D/g, "");
  const isMasked = /[^\d\s()+.-]/.test(text);
  return isMasked || digits.length < SUBSCRIBER_DIGITS ? undefined : digits;
}

/**
 * What the phone of an attempt may have been stored as, if this is the phone of its payment: the whole number, or
 * the last nine digits of one that was written without a calling code. Of a number of another country than that of
 * `currency`, only the whole number: without its code, it is a number at home.
 */
export function storedPhonesOf(value: unknown, currency?: unknown): string[] {
  const whole = wholeNumber(value);
  const code = typeof currency === "string" ? countryOfCurrency(currency)?.code : undefined;
  const isForeign = whole !== undefined && code !== undefined && !whole.startsWith(code);
  const texts = isForeign ? [whole] : [whole, subscriberNumber(value)];
  return texts.filter((text) => text !== undefined);
}

/** Services change the case of what they were given, and cut blanks off. */
const labelOf = (value: unknown): string | undefined => idText(value)?.trim().toUpperCase();

/** What a payment, or the parameters of one, can be recognised by. */
export function matchFieldsOf(fields: unknown): MatchFields {
  const own: Readonly<Record<string, unknown>> = isObject(fields)
    ? { __proto__: null, ...fields }
    : {};
  const { account_reference, amount, phone } = own;
  return {
    accountReference: labelOf(account_reference),
    amount: amountOf(amount),
    phone: storedPhonesOf(phone)[0],
  };
}

/** Whether calls of an endpoint, such as `"POST /payments/initiate"`, start a payment. */
export function startsPayment(endpoint: string): boolean {
  const [method = "", path = ""] = endpoint.split(" ");
  return method === "POST" && PAYMENT_PATHS.has(path);
}
