import { isPhoneDigits, PHONE_EXPECTED, phoneDigits } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";
import { describeGiven } from "./describe-given.ts";

/**
 * The body `{ phone }`, with the phone in digits. As its schema does, without zod: it is the only body
 * that a public key may send.
 *
 * @throws {InvalidParamsError}
 */
export function checkPhone(endpoint: string, body: unknown, redactor: Redactor): unknown {
  const { phone } = Object(body) as { phone?: unknown };
  const digits = typeof phone === "string" ? phoneDigits(phone) : "";
  if (isPhoneDigits(digits)) return { phone: digits };
  const message = `${PHONE_EXPECTED}, got ${describeGiven(phone, redactor)}`;
  throw invalidParams(endpoint, [{ path: ["phone"], message }]);
}
