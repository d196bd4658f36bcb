import { fieldRole } from "../../../profile/paging.ts";
import type { Page } from "../../exchange/result.ts";
import type { Known } from "./values.ts";
import type { Lookup } from "./write.ts";

const sent = (value: unknown): Known => ({ sent: value });

/** What a response holds beside its resource, or in the place of one. */
export interface EnvelopeValues {
  readonly status: number;
  readonly now: number;
  /** `undefined`: it is a success. */
  readonly error?: { readonly cause: string; readonly message: string; readonly field: string };
}

const isTime = (formats: readonly string[]) =>
  formats.some((one) => one === "iso8601" || one === "datetime" || one === "date");

/** Looks up the fields of an envelope and of an error, by their shape. */
export function envelopeLookup({ status, now, error }: EnvelopeValues): Lookup {
  return ({ name, types: [type], formats, values, same }) => {
    if (same.includes("status")) return sent(status);
    if (type !== "string") return undefined;
    if (isTime(formats)) return { ms: now };
    if (values.length > 0) {
      return { oneOf: [error === undefined ? /^(success|ok)/ : /^(error|fail)/, /^/] };
    }
    if (error === undefined) return name === "message" ? { text: "OK" } : undefined;
    if (same.includes("field")) return { text: error.field || "field" };
    if (same.includes("pointer")) return { text: `/${error.field || "field"}` };
    if (formats.includes("text")) return { text: error.message };
    return formats.includes("token") && !/id$/.test(name) ? { text: error.cause } : undefined;
  };
}

/** Which part of a list a response is, and how its addresses begin. */
export interface PageValues {
  readonly page: Page;
  readonly count: number;
  readonly address: string;
  /** The number of the first page: 0 or 1. */
  readonly firstPage: number;
  readonly pageName: string;
}

/** Looks up the fields beside a list. */
export function pageLookup(values: PageValues): Lookup {
  const { page, count, address, firstPage, pageName } = values;
  const { size, offset, total } = page;
  const pages = Math.max(Math.ceil(total / Math.max(size, 1)), 1);
  const number = page.page - 1 + firstPage;
  const hasMore = offset + count < total;
  const link = (one: number) => sent(`${address}?${pageName}=${one}`);
  /** The next or the previous page: its address, its number or its cursor, as the place has it. */
  const step =
    (isThere: boolean, one: number, from: number): Lookup =>
    (place) => {
      const { name, types, formats } = place;
      if (!isThere) return sent(null);
      if (formats.includes("url") || (formats.length === 0 && LINK.test(name))) return link(one);
      return types.includes("number") || /_page$/.test(name) ? sent(one) : sent(cursorOf(from));
    };
  const next = step(hasMore, number + 1, offset + size);
  const isEnd =
    (isThere: boolean, one: number): Lookup =>
    ({ types: [type] }) =>
      type === "boolean" ? sent(!isThere) : link(one);
  const byRole: Readonly<Record<string, Known | Lookup>> = {
    page: sent(number),
    size: sent(size),
    offset: sent(offset),
    total: sent(total),
    pages: sent(pages),
    from: sent(count === 0 ? null : offset + 1),
    to: sent(count === 0 ? null : offset + count),
    count: sent(count),
    more: sent(hasMore),
    nextPage: next,
    nextCursor: next,
    nextUrl: next,
    previous: step(offset > 0, number - 1, Math.max(offset - size, 0)),
  };
  const byName: Readonly<Record<string, Known | Lookup>> = {
    number_of_elements: sent(count),
    empty: sent(count === 0),
    first: isEnd(offset > 0, firstPage),
    last: isEnd(hasMore, pages - 1 + firstPage),
    path: sent(address),
  };
  return (place, within) => {
    const found = byRole[fieldRole(place.name) ?? ""] ?? byName[place.name];
    return typeof found === "function" ? found(place, within) : found;
  };
}

/** The names of links to other pages, for lists that were never seen with another page. */
const LINK = /^(next|prev|previous)(_(page_)?(url|link))?$/;

/** The text of a cursor: it holds the offset of the page. */
const cursorOf = (offset: number): string => `cursor_${offset}`;

/** The offset in a cursor; 0 for a text that is not one. */
export const offsetOfCursor = (cursor: string | null): number =>
  Number(/^cursor_(\d{1,9})$/.exec(cursor ?? "")?.[1] ?? 0);
