import { isObject } from "../internal/is-object.ts";
import { parseJson } from "../internal/json.ts";
import type { RejectionCause } from "../profile/causes.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import type { merchantOf } from "./state/state.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "./state/stored.ts";

/** Why the sandbox rejects a request: what a profile knows, and what only the sandbox tells apart. */
export type ErrorCause = RejectionCause | "invalid_path";

/** Thrown to reject a request: the cause, and a message about what is wrong with the request. */
export class ErrorResponse extends Error {
  override readonly cause: ErrorCause;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    cause: ErrorCause,
    message: string,
    options: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.cause = cause;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }
}

export const invalidField = (field: string, message: string): ErrorResponse =>
  new ErrorResponse("invalid_field", `${field}: ${message}`, { field });

/** What a response can be about. An `initiation` is a payment that has just begun. */
export interface Records {
  readonly merchant: ReturnType<typeof merchantOf>;
  readonly account: {
    readonly payment_account_id: string | number;
    readonly name: string;
    readonly currency: string;
    readonly is_default: boolean;
  };
  readonly payment: StoredPayment;
  readonly initiation: StoredPayment;
  readonly phone: { readonly valid: boolean; readonly phone: string; readonly network?: string };
  readonly webhook: StoredWebhook;
  readonly invoice: StoredInvoice;
  readonly deletion: { readonly id: string };
}

export type Resource = keyof Records;

export interface PageRequest {
  /** The number of the page, from 1. */
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  /** The page begins after the record with this id. */
  readonly after?: string;
  readonly oldestFirst?: boolean;
}

export interface Page extends PageRequest {
  /** How many there are in the whole list. */
  readonly total: number;
}

/** What an endpoint decided. The serializer of the sandbox puts it into words. */
export type RouteResult = {
  [One in Resource]:
    | { readonly resource: One; readonly record: Records[One]; readonly isNew?: true }
    | { readonly resource: One; readonly records: readonly Records[One][]; readonly page: Page };
}[Resource];

/** A request below the base URL, whichever transport it came by. */
export interface ApiRequest {
  readonly method: string;
  /** The path with its slash, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null | undefined;
  /** All headers as they were received, for the log. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What the sandbox decided, before it was put into words. `undefined`: a fault replaced it. */
  readonly decided?: RouteResult | ErrorResponse;
}

/** How a transport is to respond to a request, its fault included. */
export interface PlannedResponse {
  /** Milliseconds to wait first. */
  readonly latencyMs: number;
  /** What the transport has to break; `undefined`: the response is sent whole. */
  readonly fault: "reset" | "hang" | "truncate" | "lostResponse" | undefined;
  /** Does what the request asks for. Must not be called for `reset` and `hang`. */
  readonly respond: () => ApiResponse;
}

/** The JSON object in the body of a request. */
export type Body = Record<string, unknown>;

const { maxDepth } = ASSUMPTIONS.sizes.value;

/** @throws {ErrorResponse} for anything but a JSON object. */
export function parseObject(text: string): Body {
  const body = parseJson(text);
  if (isObject(body)) return body;
  const problem = body === undefined ? "not valid JSON" : "not a JSON object";
  throw new ErrorResponse("invalid_json", `The body is ${problem}.`);
}

/** @throws {ErrorResponse} for anything but a JSON object. An empty body is an empty object. */
export function parseBody(text: string): Body {
  const body = parseObject(text.trim() || "{}");
  if (!isDeeperThan(maxDepth, body)) return body;
  throw new ErrorResponse("invalid_json", `The body is nested more than ${maxDepth} levels deep.`);
}

const isDeeperThan = (max: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isDeeperThan(max - 1, inner)));

/** A part of a path. @throws {ErrorResponse} */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ErrorResponse("invalid_path", "The path is not valid percent-encoding.");
  }
}

/** Any origin may call, and read every header of the response. */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/** A value as a JSON response, with the headers that every response of the service has. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: {
      ...CORS_HEADERS,
      "content-type": "application/json",
      // A browser must not take an error text for a page.
      "x-content-type-options": "nosniff",
      ...headers,
    },
    body: JSON.stringify(value),
  };
}

export interface Exchange {
  /** The time on the sandbox's clock. */
  readonly at: number;
  readonly request: ApiRequest;
  /** `undefined`: no response was sent. */
  readonly response: ApiResponse | undefined;
  readonly fault: PlannedResponse["fault"];
}

/** Follows what happens in a sandbox, as its page does. Must not change anything. */
export interface Watcher {
  /** Called after any change, often, and while a change is under way: react later. */
  changed?(): void;
  exchanged?(exchange: Exchange): void;
}

export type Watchers = Set<Watcher>;
