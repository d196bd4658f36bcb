import { ENDPOINTS, type Endpoint } from "../contract/endpoints.ts";
import type { PaymentSignals } from "../idempotency/store.ts";
import { isObject } from "../internal/is-object.ts";
import { idText } from "../internal/json.ts";

const PAYMENT_PATHS: ReadonlySet<string> = new Set([
  ENDPOINTS["payments.initiate"].path,
  ENDPOINTS["mobileMoney.initiate"].path,
]);

/** `100`, `"100"` and `"100.00"` are one amount. */
function amountOf(value: unknown): string | undefined {
  const text = typeof value === "object" ? "" : String(value).trim();
  return /^\d+(\.\d+)?$/.test(text) ? Number(text).toFixed(2) : undefined;
}

/** The digits that tell two subscribers of a country apart. */
const SUBSCRIBER_DIGITS = 9;

/**
 * The last nine digits of a phone number: it may be given as `0712345678` and come back as
 * `254712345678`. `undefined` for a number that is masked.
 */
function phoneOf(value: unknown): string | undefined {
  const text = idText(value) ?? "";
  const digits = text.replace(/\D/g, "");
  const isMasked = /[^\d\s()+.-]/.test(text);
  return isMasked || digits.length < SUBSCRIBER_DIGITS
    ? undefined
    : digits.slice(-SUBSCRIBER_DIGITS);
}

/** Services change the case of what they were given, and cut blanks off. */
const labelOf = (value: unknown): string | undefined => idText(value)?.trim().toUpperCase();

/** What a payment, or the parameters of one, can be recognised by. */
export function signalsOf(fields: unknown): PaymentSignals {
  const { account_reference, amount, phone } = isObject(fields) ? fields : {};
  return {
    accountReference: labelOf(account_reference),
    amount: amountOf(amount),
    phone: phoneOf(phone),
  };
}

/** Whether calls of an endpoint, such as `"POST /payments/initiate"`, start a payment. */
export function startsPayment(endpoint: string): boolean {
  const [method = "", path = ""] = endpoint.split(" ");
  return method === "POST" && PAYMENT_PATHS.has(path);
}

/** What the payment can be recognised by that a call starts; `undefined` if it starts none. */
export function paymentSignalsOf(
  { path, method }: Endpoint,
  body: string | undefined,
): PaymentSignals | undefined {
  if (!startsPayment(`${method} ${path}`) || body === undefined) return undefined;
  return signalsOf(JSON.parse(body));
}
