import { ASSUMPTIONS } from "../assumptions.ts";
import { invalidField } from "../exchange/error-response.ts";
import type { PageRequest } from "../exchange/result.ts";

/** Nine digits: far below the numbers that are inexact. */
const MAX_NUMBER = 999_999_999;

/** @throws {ErrorResponse} for what is not a whole number within the limits. */
export function readNumber(
  query: URLSearchParams,
  name: string,
  { fallback, min = 1, max = MAX_NUMBER }: { fallback: number; min?: number; max?: number },
): number {
  const value = query.get(name) ?? String(fallback);
  const number = /^\d{1,9}$/.test(value) ? Number(value) : -1;
  if (number >= min && number <= max) return number;
  throw invalidField(name, `expected a whole number from ${min} to ${max}`);
}

/** The page of a list that a query asks for, by `page` and `per_page`. */
export function readPage(query: URLSearchParams): PageRequest {
  const { perPage, maxPerPage } = ASSUMPTIONS.lists.value;
  const page = readNumber(query, "page", { fallback: 1 });
  const size = readNumber(query, "per_page", { fallback: perPage, max: maxPerPage });
  return { page, size, offset: (page - 1) * size };
}
