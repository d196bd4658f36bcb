import { type Endpoint, endpointFor } from "../../contract/endpoints.ts";
import { isObject } from "../../internal/is-object.ts";
import type { RejectionCause } from "../../profile/causes.ts";
import type { Exchange } from "../exchange.ts";
import type { ParsedBody } from "./parse-body.ts";

/** Whether a body shows that the request failed, whatever its status is. */
function isErrorBody(body: ParsedBody): boolean {
  if (body.kind !== "json" || !isObject(body.value)) return false;
  const { success, ok, status, error, errors, data } = body.value;
  if (success === false || ok === false || status === "error" || status === "fail") return true;
  const hasError = Boolean(error) || (Array.isArray(errors) && errors.length > 0);
  return hasError && (data === undefined || data === null);
}

/** Whether the service did not do what was asked. */
export const isFailure = (status: number, body: ParsedBody): boolean =>
  status >= 400 || (status < 300 && isErrorBody(body));

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/**
 * Why the service rejected a request that was meant to succeed, as far as its status and the request
 * show. `undefined`: not clear enough to learn from.
 */
export function guessCause(
  { path, status, key, hasBody, query }: Exchange,
  endpoint: Endpoint | undefined,
): RejectionCause | undefined {
  if (status === 429) return "rate_limit";
  if (key === "none") return status === 401 || status === 403 ? "no_key" : undefined;
  if (status === 401) return "unknown_key";
  if (endpoint === undefined) {
    return METHODS.some((one) => endpointFor(one, path)) ? "wrong_method" : "unknown_path";
  }
  const isKind = key === "public" || key === "secret" || key === "sandbox";
  if (status === 403 && isKind) return endpoint.keys.includes(key) ? "missing_scope" : "wrong_kind";
  const hasId = endpoint.path.includes("{");
  if (hasId && (status === 404 || status === 410)) return "unknown_id";
  if (endpoint.path.endsWith("/status") && status === 404) return "unknown_id";
  if (status !== 400 && status !== 422 && status >= 300) return undefined;
  if (hasBody)
    return endpoint.path.endsWith("/validate-phone") ? "unusable_phone" : "invalid_field";
  if (hasId) return "unknown_id";
  return query !== undefined && query.size > 0 ? "invalid_field" : undefined;
}
