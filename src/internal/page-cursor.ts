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

/** A position as text: the cursor of a list. */
export const cursorOf = ({ at, id }: Position): string => `${at}:${id}`;

/** The position that a cursor says; `undefined` if it is not the cursor of any list. */
export function positionAt(cursor: unknown): Position | undefined {
  const [, at, id] = /^(\d{1,15}):(.+)$/s.exec(String(cursor)) ?? [];
  if (typeof cursor !== "string" || at === undefined || id === undefined) return undefined;
  return isStorable(id) ? { at: Number(at), id } : undefined;
}

function positionFrom(after: unknown): Position {
  const position = positionAt(after);
  if (position === undefined) throw wrongOption("after", "`next` of an earlier page", after);
  return position;
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
  return { items, next: last && cursorOf(positionOf(last)) };
}
