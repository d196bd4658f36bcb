import { checkWholeNumber, type OptionRows, optional, wrongOption } from "./check-options.ts";
import { isStorable } from "./storable-text.ts";

/** A place in a list. Lists are ordered by a time, then by a text. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** What a query of a list says about its page. */
export interface PageQuery {
  readonly after: Position | undefined;
  readonly limit: number;
}

function positionFrom(after: unknown): Position {
  const [, at, id] = /^(\d{1,15}):(.+)$/s.exec(String(after)) ?? [];
  if (typeof after === "string" && at !== undefined && id !== undefined && isStorable(id)) {
    return { at: Number(at), id };
  }
  throw wrongOption("after", "`next` of an earlier page", after);
}

/** What every query of a list takes. */
export const PAGE_OPTIONS = {
  after: (after) => optional(after, positionFrom),
  limit: (limit = 100) => checkWholeNumber("limit", limit, 1, 1_000),
} satisfies OptionRows<{
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}>;

export function comparePositions(a: Position, b: Position): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/**
 * A page of what was found, and its cursor.
 *
 * @param found - One item more than the limit if there is a next page.
 */
export function cutPage<Item>(
  found: readonly Item[],
  limit: number,
  positionOf: (item: Item) => Position,
): { readonly items: Item[]; readonly next: string | undefined } {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  const { at, id } = last === undefined ? { at: 0, id: "" } : positionOf(last);
  return { items, next: last && `${at}:${id}` };
}
