import { type Endpoint, endpointFor } from "../../contract/endpoints.ts";
import { isObject } from "../../internal/is-object.ts";
import type { RejectionCause } from "../../profile/causes.ts";
import { type Exchange, type ParsedBody, parseBody } from "../exchange.ts";

/** An exchange, and what is known of it at once. */
export interface ReadExchange extends Exchange {
  readonly endpoint: Endpoint | undefined;
  /** `GET /merchant`, or `other`. */
  readonly place: string;
  readonly parsed: ParsedBody;
  /** Whether the service did not do what was asked. */
  readonly isFailure: boolean;
}

export function readExchange(exchange: Exchange): ReadExchange {
  const { method, path, status, cause } = exchange;
  const endpoint = endpointFor(method, path)?.endpoint;
  const parsed = parseBody(exchange.body);
  const isFailure = status >= 400 || (status < 300 && isErrorBody(parsed));
  return {
    ...exchange,
    endpoint,
    place: endpoint === undefined ? "other" : `${endpoint.method} ${endpoint.path}`,
    parsed,
    isFailure,
    cause: cause ?? (isFailure && status < 500 ? guessCause(exchange, endpoint) : undefined),
  };
}

/** Whether a body shows that the request failed, whatever its status is. */
function isErrorBody({ value }: ParsedBody): boolean {
  if (!isObject(value)) return false;
  const { success, ok, status, error, errors, data } = value;
  if (success === false || ok === false || status === "error" || status === "fail") return true;
  const hasError = Boolean(error) || (Array.isArray(errors) && errors.length > 0);
  return hasError && (data === undefined || data === null);
}

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/**
 * Why the service rejected a request that was meant to succeed, as far as its status and the request
 * show. `undefined`: not clear enough to learn from.
 */
function guessCause(
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
  if (hasBody) {
    return endpoint.path.endsWith("/validate-phone") ? "unusable_phone" : "invalid_field";
  }
  if (hasId) return "unknown_id";
  return query !== undefined && query.size > 0 ? "invalid_field" : undefined;
}
