import { isObject } from "../../internal/is-object.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";

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
 * A body as it is now: the caller may change it while a part of the client is loaded.
 *
 * @throws {InvalidParamsError} if a getter of the body throws.
 */
export function copyOf<T>(endpoint: string, body: T): T {
  if (!isObject(body)) return body;
  try {
    return Object.assign(Object.create(Object.getPrototypeOf(body)), body);
  } catch {
    throw notJson(endpoint);
  }
}

export function notJson(endpoint: string, options?: ErrorOptions): Error {
  const message = "expected a body that JSON can hold: no cycle, no bigint, no function";
  return invalidParams(endpoint, [{ path: [], message }], options);
}
