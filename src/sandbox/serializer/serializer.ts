import type { EndpointName } from "../../contract/endpoints.ts";
import type { KeyKind } from "../../contract/keys.ts";
import type { Paging } from "../../profile/paging.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import {
  type ApiResponse,
  type ErrorResponse,
  invalidField,
  type PageRequest,
  type RouteResult,
} from "../messages.ts";
import type { RandomState } from "../state/random.ts";
import type { Delivery } from "../state/sandbox-records.ts";
import type { EventRecord } from "../state/stored.ts";

/** Nine digits: far below the numbers that are inexact. More items than any list has. */
const MAX_NUMBER = 999_999_999;

/** How a list is paged, as far as a query is concerned. */
interface QueryPaging extends Partial<Paging> {
  readonly parameters: Paging["parameters"];
  /** It cannot be paged: it has one page. */
  readonly isWhole?: boolean;
}

const { perPage, maxPerPage } = ASSUMPTIONS.lists.value;

/** How a sandbox without a profile pages its lists. */
export const ASSUMED_PAGING = {
  parameters: { page: "page", size: "per_page" },
} as const satisfies QueryPaging;

/** @throws {ErrorResponse} for what is not a whole number within the limits. */
export function readNumber(
  query: URLSearchParams,
  name: string | undefined,
  { fallback, min = 1, max = MAX_NUMBER }: { fallback: number; min?: number; max?: number },
): number {
  const value = (name === undefined ? null : query.get(name)) ?? String(fallback);
  const number = /^\d{1,9}$/.test(value) ? Number(value) : -1;
  if (number >= min && number <= max) return number;
  throw invalidField(name ?? "", `expected a whole number from ${min} to ${max}`);
}

/** The text of a cursor: it holds the offset of the page. */
export const cursorOf = (offset: number): string => `cursor_${offset}`;

/** The page of a list that a query asks for. */
export function readPage(query: URLSearchParams, paging: QueryPaging): PageRequest {
  const { parameters, firstPage = 1, maxSize = maxPerPage, overMax, order, isWhole } = paging;
  const { defaultSize: fallback = isWhole ? MAX_NUMBER : perPage } = paging;
  const max = Math.max(maxSize, fallback);
  const asked = { fallback, max: overMax === "clamped" ? MAX_NUMBER : max };
  const size = Math.min(readNumber(query, parameters.size, asked), max);
  const pageFrom = (offset: number): PageRequest => ({
    page: Math.floor(offset / size) + 1,
    size,
    offset,
    ...(order === "oldest" && { oldestFirst: true }),
  });
  if (parameters.cursor !== undefined) {
    const after = query.get(parameters.cursor);
    if (after === null) return pageFrom(0);
    // 0 for a text that is not a cursor.
    return { ...pageFrom(Number(/^cursor_(\d{1,9})(?:==)?$/.exec(after)?.[1] ?? 0)), after };
  }
  if (parameters.offset !== undefined) {
    return pageFrom(readNumber(query, parameters.offset, { fallback: 0, min: 0 }));
  }
  const page = readNumber(query, parameters.page, { fallback: firstPage, min: firstPage });
  return pageFrom((page - firstPage) * size);
}

/** What the sandbox makes ids for. */
export type IdKind = "reference" | "checkout" | "invoice" | "webhook" | "secret";

/** The parts of the state that ids are made from. */
export interface IdState {
  readonly random: RandomState;
  nextId: number;
}

/** What is known of the request that is answered. */
export interface RequestContext {
  /** The path with its slash, percent-encoded. */
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
