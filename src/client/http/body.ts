import type { Schema } from "../../contract/schema.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";

function show(value: unknown, redactor: Redactor): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return maskPhones(JSON.stringify(redactor.text(value).slice(0, 60)));
  }
  if (typeof value === "number") return maskPhones(String(value));
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value);

/**
 * The JSON text of a body, checked against its row, and rewritten where the row says how (a phone in
 * digits).
 *
 * @throws {InvalidParamsError} that names every issue by its path.
 */
export function bodyText(
  endpoint: string,
  schema: Schema | undefined,
  body: unknown,
  redactor: Redactor,
): string {
  const checked = check(endpoint, schema, body, redactor);
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({
      path: path.map((name) => (typeof name === "number" ? name : redactor.text(String(name)))),
      message: `${message}, got ${show(at(body, path), redactor)}`,
    }));
    throw invalidParams(endpoint, issues);
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(checked.data);
  } catch (error) {
    throw notJson(endpoint, { cause: redactor.cause(error) });
  }
  if (text === undefined) throw notJson(endpoint);
  return text;
}

function notJson(endpoint: string, options?: ErrorOptions): Error {
  const message = "expected a body that JSON can hold: no cycle, no bigint, no function";
  return invalidParams(endpoint, [{ path: [], message }], options);
}

function check(endpoint: string, schema: Schema | undefined, body: unknown, redactor: Redactor) {
  try {
    return schema?.safeParse(body) ?? { success: true as const, data: body };
  } catch (error) {
    // A getter of the caller's object threw.
    throw notJson(endpoint, { cause: redactor.cause(error) });
  }
}
