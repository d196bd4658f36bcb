import { keyKind } from "../../contract/keys.ts";
import { describeValue } from "../../internal/check-options.ts";
import { isObject } from "../../internal/is-object.ts";
import { type WrittenJson, writeJson } from "../../internal/json.ts";
import {
  isPhoneDigits,
  maskPhones,
  PHONE_EXPECTED,
  phoneDigits,
} from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParam, invalidParams } from "../invalid-params.ts";

/** @throws {InvalidParamsError} for a value that JSON cannot hold. */
export function writeBody(endpoint: string, value: unknown, redactor: Redactor): WrittenJson {
  let written: WrittenJson | undefined;
  try {
    written = writeJson(value);
  } catch (error) {
    throw notJson(endpoint, { cause: redactor.cause(error) });
  }
  if (written === undefined) throw notJson(endpoint);
  return written;
}

/**
 * The own fields of what a caller gave, as they are now: the caller may change it while a part of the client is
 * loaded. Without a prototype, from which fields would be read that the caller has not set.
 *
 * @throws {InvalidParamsError} if a getter throws.
 */
export function ownFieldsOf<T>(endpoint: string, given: T): T {
  if (!isObject(given)) return given;
  try {
    return Object.assign(Object.create(null), given);
  } catch {
    throw notJson(endpoint);
  }
}

/**
 * `JSON.parse` makes an own field of this name, and an assignment of it elsewhere sets a prototype.
 *
 * @throws {InvalidParamsError} if the body has it.
 */
export function rejectProto(endpoint: string, body: unknown): void {
  if (!isObject(body) || !Object.hasOwn(body, "__proto__")) return;
  throw invalidParam(endpoint, "__proto__", "expected no field of this name");
}

export function notJson(endpoint: string, options?: ErrorOptions): Error {
  const message = "expected a body that JSON can hold: no cycle, no bigint, no function";
  return invalidParams(endpoint, [{ path: [], message }], options);
}

/** What a caller gave, as a message shows it. */
export function describeGiven(value: unknown, redactor: Redactor): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    // Another key than this gateway's, in the wrong place.
    if (keyKind(value) !== undefined) return "an API key";
    return maskPhones(JSON.stringify(redactor.text(value).slice(0, 60)));
  }
  // A phone is a whole number: `0.1 + 0.2` is none, and is shown with all its digits.
  if (typeof value === "number") {
    return `the number ${Number.isInteger(value) ? maskPhones(String(value)) : value}`;
  }
  return typeof value === "object" ? describeValue(value) : `a ${typeof value}`;
}

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
