import { keyKind } from "../../contract/keys.ts";
import { nearNames } from "../../contract/near-names.ts";
import type { Schema } from "../../contract/schema.ts";
import type { ParamIssue } from "../../errors/configuration.ts";
import { isObject } from "../../internal/is-object.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";

function show(value: unknown, redactor: Redactor): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    // Another key than this gateway's, in the wrong place.
    if (keyKind(value) !== undefined) return "an API key";
    return maskPhones(JSON.stringify(redactor.text(value).slice(0, 60)));
  }
  if (typeof value === "number") return `the number ${maskPhones(String(value))}`;
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value);

type Issues = Extract<ReturnType<Schema["safeParse"]>, { success: false }>["error"]["issues"];

const issuesOf = (issues: Issues, body: unknown, redactor: Redactor): ParamIssue[] =>
  issues.map(({ path, message }) => ({
    path: path.map((name) => (typeof name === "number" ? name : redactor.text(String(name)))),
    message: `${message}, got ${show(at(body, path), redactor)}`,
  }));

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
  const { data, issues } = check(endpoint, schema, body, redactor);
  if (issues.length > 0) throw invalidParams(endpoint, issues);
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
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
    if (schema === undefined) return { data: body, issues: [] };
    const checked = schema.safeParse(body);
    const misnamed = schema.shape && isObject(body) ? nearNames(body, schema.shape) : [];
    const issues: ParamIssue[] = misnamed.map(({ given, meant }) => ({
      path: [given],
      message: `expected the name \`${meant}\``,
    }));
    if (checked.success) return { data: checked.data, issues };
    const isNamed = (name: unknown) => !misnamed.some(({ meant }) => meant === name);
    const others = issuesOf(checked.error.issues, body, redactor).filter(({ path: [name] }) =>
      isNamed(name),
    );
    return { data: body, issues: [...issues, ...others] };
  } catch (error) {
    // A getter of the caller's object threw.
    throw notJson(endpoint, { cause: redactor.cause(error) });
  }
}
