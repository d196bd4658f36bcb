import type { Paging } from "../../profile/paging.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { invalidField } from "../exchange/error-response.ts";
import type { PageRequest } from "../exchange/result.ts";

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
    return { ...pageFrom(Number(/^cursor_(\d{1,9})$/.exec(after)?.[1] ?? 0)), after };
  }
  if (parameters.offset !== undefined) {
    return pageFrom(readNumber(query, parameters.offset, { fallback: 0, min: 0 }));
  }
  const page = readNumber(query, parameters.page, { fallback: firstPage, min: firstPage });
  return pageFrom((page - firstPage) * size);
}
