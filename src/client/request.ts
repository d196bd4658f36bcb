import { type Effect, type Endpoint, endpointFor } from "../contract/endpoints.ts";
import { InvalidParamsError } from "../errors/configuration.ts";
import type { CallInput } from "./call.ts";
import { checkPath, type Query } from "./http/url.ts";

/** What {@link Gateway.request} sends. */
export interface RequestParams {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL, with a slash before it: `/payments/PAY123`. Encode what you put in it. */
  path: string;
  /** Anything that JSON can hold. */
  body?: unknown;
  query?: Query | undefined;
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  GET: "read",
  HEAD: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
  POST: "create",
  PATCH: "create",
};

const refuse = (name: string, message: string) =>
  new InvalidParamsError(`request: ${name}: ${message}. Nothing was sent.`, [
    { path: [name], message },
  ]);

/**
 * The row that a request of the caller's own stands for. A path of the table takes its row's keys
 * and effect; for any other, the method decides, and a public key may only GET.
 *
 * @throws {InvalidParamsError}
 */
export function rowFor(params: RequestParams): [Endpoint, CallInput] {
  const { method, path, query, body, ...unknown } = Object(params) as RequestParams;
  for (const name in unknown) throw refuse(name, "expected method, path, query and body alone");
  const verb = String(method).toUpperCase();
  const effect = EFFECTS[verb];
  if (effect === undefined) {
    throw refuse("method", `expected one of ${Object.keys(EFFECTS).join(", ")}`);
  }
  if ((verb === "GET" || verb === "HEAD") && body !== undefined) {
    throw refuse("body", `expected none with ${verb}`);
  }
  const checked = checkPath(path);
  const row = endpointFor(verb, checked)?.endpoint;
  const name = row && `${row.method} ${row.path}`;
  const endpoint = {
    method: verb as Endpoint["method"],
    // Braces would be read as parameters.
    path: checked.replaceAll("{", "%7B").replaceAll("}", "%7D") as `/${string}`,
    scope: row?.scope,
    keys: row?.keys ?? (verb === "GET" ? ["public", "secret", "sandbox"] : ["secret", "sandbox"]),
    effect: row?.effect ?? effect,
  } as const;
  return [endpoint, { query, ...(name && { name }), ...(body !== undefined && { body }) }];
}
