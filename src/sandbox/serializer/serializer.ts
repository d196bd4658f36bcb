import type { EndpointName } from "../../contract/endpoints.ts";
import type { KeyKind } from "../../contract/keys.ts";
import type { ErrorResponse } from "../exchange/error-response.ts";
import type { ApiResponse } from "../exchange/messages.ts";
import type { PageRequest, RouteResult } from "../exchange/result.ts";
import type { RandomState } from "../state/random.ts";
import type { Delivery } from "../state/records.ts";
import type { EventRecord } from "../state/stored.ts";

/** What the sandbox makes ids for. */
export type IdKind = "reference" | "checkout" | "invoice" | "webhook" | "secret";

/** The parts of the state that ids are made from. */
export interface IdState {
  readonly random: RandomState;
  nextId: number;
}

/** What is known of the request that is answered. */
export interface RequestContext {
  /** With its slash, percent-encoded. */
  readonly path: string;
  /** `undefined`: there is no such endpoint. */
  readonly endpoint: EndpointName | undefined;
  /** Milliseconds of the sandbox's clock. */
  readonly now: number;
  /** The secret that signs deliveries. */
  readonly webhookSecret: string;
}

/**
 * Turns what the sandbox decides into what is sent. `ASSUMED_SERIALIZER` follows the assumptions; a
 * serializer that was learned follows the service of a profile.
 */
export interface Serializer {
  success(
    request: RequestContext & { readonly endpoint: EndpointName },
    result: RouteResult,
  ): ApiResponse;
  error(request: RequestContext, error: ErrorResponse): ApiResponse;
  /** @throws {ErrorResponse} for a page that does not exist. */
  readPage(endpoint: EndpointName, query: URLSearchParams): PageRequest;
  /** Counts `nextId` up for ids that are too short to be random. */
  newId(kind: IdKind, state: IdState): string;
  /** The ids of the payment accounts, the default one first. */
  readonly accountIds: readonly [string | number, ...(string | number)[]];
  /** Whether a kind of key may call an endpoint. */
  mayCall(kind: KeyKind, endpoint: EndpointName): boolean;
  /** Whether a request that could be rejected for this cause is not. */
  accepts(cause: "missing_scope" | "invalid_phone" | "unusable_phone"): boolean;
  /** The body of a delivery. `at` is its timestamp in milliseconds. */
  event(kind: string, at: number, record: EventRecord): string;
  /** The headers of an attempt, beside the content type. `tries` counts the attempts from 1. */
  deliveryHeaders(attempt: {
    readonly delivery: Delivery;
    readonly tries: number;
    readonly now: number;
    readonly signature: string;
  }): Record<string, string>;
  /** How long to wait before each retry, in milliseconds. */
  readonly retryDelaysMs: readonly number[];
}
