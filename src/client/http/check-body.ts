import { nearNames } from "../../contract/near-names.ts";
import type { Schema } from "../../contract/schema.ts";
import { type SchemaName, schemaNamed } from "../../contract/schemas.ts";
import type { ParamIssue } from "../../errors/configuration.ts";
import { isObject } from "../../internal/is-object.ts";
import type { Redactor } from "../../internal/redact.ts";
import { invalidParams } from "../invalid-params.ts";
import type { Settings } from "../settings.ts";
import { describeGiven, notJson } from "./body-text.ts";

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value);

type Issues = Extract<ReturnType<Schema["safeParse"]>, { success: false }>["error"]["issues"];

const issuesOf = (issues: Issues, body: unknown, redactor: Redactor): ParamIssue[] =>
  issues.map(({ path, message }) => ({
    path: path.map((name) => (typeof name === "number" ? name : redactor.text(String(name)))),
    message: `${message}, got ${describeGiven(at(body, path), redactor)}`,
  }));

/**
 * The body that is sent, checked against the schema of its row, and rewritten as the row says (a phone
 * in digits).
 *
 * @throws {InvalidParamsError} that names every issue by its path.
 */
export function checkBody(
  endpoint: string,
  schema: SchemaName,
  body: unknown,
  { redactor, testNetwork }: Pick<Settings, "redactor" | "testNetwork">,
): unknown {
  const { data, issues } = check(endpoint, schemaNamed(schema, testNetwork), body, redactor);
  if (issues.length > 0) throw invalidParams(endpoint, issues);
  return data;
}

function check(endpoint: string, schema: Schema, body: unknown, redactor: Redactor) {
  try {
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
