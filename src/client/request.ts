import { type Effect, type Endpoint, endpointFor } from "../contract/endpoints.ts";
import type { CallInput } from "./call.ts";
import { checkPath, type Query } from "./http/url.ts";
import { invalidParam } from "./invalid-params.ts";

/** What `gateway.request()` sends. */
export interface RequestParams {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * The path below the base URL, such as `/payments/PAY123`. It begins with a slash. Encode the
   * values that you put into it.
   */
  path: string;
  /** The request body: any value that JSON can hold. Leave it out to send no body. */
  body?: unknown;
  /** The query parameters. */
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

const PARAM_NAMES = ["method", "path", "body", "query"];

function checkParams(params: RequestParams): RequestParams["method"] {
  for (const name of Object.keys(params)) {
    if (PARAM_NAMES.includes(name)) continue;
    throw invalidParam("request", name, `expected only ${PARAM_NAMES.join(", ")}`);
  }
  const method = String(params.method).toUpperCase();
  if (!Object.hasOwn(EFFECTS, method)) {
    throw invalidParam("request", "method", `expected one of ${Object.keys(EFFECTS).join(", ")}`);
  }
  if ((method === "GET" || method === "HEAD") && params.body !== undefined) {
    throw invalidParam("request", "body", `expected no body with ${method}`);
  }
  return method as RequestParams["method"];
}

/**
 * The endpoint that a request of the caller's own goes to, and its input. A documented path has the
 * keys and the effect of its endpoint. For any other path the method decides, and a public key may
 * only GET.
 *
 * @throws {InvalidParamsError}
 */
export function endpointForRequest(given: RequestParams): [Endpoint, CallInput] {
  const params: RequestParams = Object.assign(Object.create(null), given);
  const method = checkParams(params);
  const path = checkPath(params.path);
  const known = endpointFor(method, path)?.endpoint;
  const endpoint: Endpoint = {
    method: method as Endpoint["method"],
    // Braces in a path would be read as parameters.
    path: path.replaceAll("{", "%7B").replaceAll("}", "%7D") as `/${string}`,
    scope: known?.scope,
    keys:
      known?.keys ?? (method === "GET" ? ["public", "secret", "sandbox"] : ["secret", "sandbox"]),
    effect: known?.effect ?? (EFFECTS[method] as Effect),
  };
  const input: CallInput = {
    query: params.query,
    ...(known && { name: `${known.method} ${known.path}` }),
    ...(params.body !== undefined && { body: params.body }),
  };
  return [endpoint, input];
}
