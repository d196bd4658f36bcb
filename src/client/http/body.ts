import type { Schema } from "../../contract/schema.ts";
import { maskPhones, withoutSecret } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";

function show(value: unknown, key: string): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return maskPhones(JSON.stringify((withoutSecret(value, key) as string).slice(0, 60)));
  }
  if (typeof value === "number") return maskPhones(String(value));
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value);

/**
 * The JSON text of a body, checked against its row and mended where the row says how (a phone in
 * digits).
 *
 * @throws {InvalidParamsError} that names every issue by its path.
 */
export function bodyText(
  endpoint: string,
  schema: Schema | undefined,
  body: unknown,
  key: string,
): string {
  const checked = schema?.safeParse(body) ?? { success: true, data: body };
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({
      path: path as (string | number)[],
      message: `${message}, got ${show(at(body, path), key)}`,
    }));
    throw invalidParams(endpoint, issues);
  }
  const message = "expected a body that JSON can hold: no cycle, no bigint, no function";
  const notJson = (options?: ErrorOptions) =>
    invalidParams(endpoint, [{ path: [], message }], options);
  let text: string | undefined;
  try {
    text = JSON.stringify(checked.data);
  } catch (cause) {
    throw notJson({ cause });
  }
  if (text === undefined) throw notJson();
  return text;
}
