import { isObject } from "../../internal/is-object.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";
import { describeGiven } from "./describe-given.ts";

/** @throws {InvalidParamsError} for a value that JSON cannot hold. */
export function bodyText(endpoint: string, value: unknown, redactor: Redactor): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw notJson(endpoint, { cause: redactor.cause(error) });
  }
  if (text === undefined) throw notJson(endpoint);
  return text;
}

/**
 * A body of which the service documents no field, unchanged.
 *
 * @throws {InvalidParamsError} for anything but an object.
 */
export function checkObject(endpoint: string, body: unknown, redactor: Redactor): unknown {
  if (isObject(body)) return body;
  const message = `expected an object, got ${describeGiven(body, redactor)}`;
  throw invalidParams(endpoint, [{ path: [], message }]);
}

export function notJson(endpoint: string, options?: ErrorOptions): Error {
  const message = "expected a body that JSON can hold: no cycle, no bigint, no function";
  return invalidParams(endpoint, [{ path: [], message }], options);
}
