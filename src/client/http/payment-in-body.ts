import { isObject } from "../../internal/is-object.ts";

/**
 * An id as text: a text that is not blank, or a whole number whose digits JSON.parse preserved. Beyond
 * 2^53 a number has lost digits, and would name another payment.
 */
export function idText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export interface PaymentInBody {
  /** `undefined` if only its prompt is named, or if the reference cannot be used. */
  readonly reference: string | undefined;
}

/** The payment that a body names by a reference or by a prompt; `undefined` if it names none. */
export function paymentIn(body: unknown): PaymentInBody | undefined {
  const data = isObject(body) && isObject(body.data) ? body.data : body;
  if (!isObject(data)) return undefined;
  const { reference, checkout_request_id } = data;
  const isNamed = [reference, checkout_request_id].some(
    (id) => typeof id === "number" || idText(id) !== undefined,
  );
  return isNamed ? { reference: idText(reference) } : undefined;
}
