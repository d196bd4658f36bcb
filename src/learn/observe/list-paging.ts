import { isObject } from "../../internal/is-object.ts";
import {
  type FieldRole,
  fieldRole,
  type ParameterRole,
  parameterRole,
} from "../../profile/paging.ts";
import { isIdName, ROOT } from "../../profile/paths.ts";
import type { Counts, ListPaging } from "../../profile/profile-types.ts";
import type { Additions } from "./additions.ts";

/** A page of a list, as far as paging is concerned: in memory only, never in a profile. */
export interface Page {
  readonly items: readonly unknown[];
  /** The numbers beside the list, by what they are. */
  readonly numbers: { readonly [Role in FieldRole]?: number | undefined };
}

/** A parameter of a query that asks for a page. */
interface Asked {
  readonly name: string;
  readonly role: ParameterRole;
  /** `undefined`: not a whole number. */
  readonly value: number | undefined;
}

const MAX_PAGE_SIZE = 5_000;

/** The lengths of pages that services use. Any other number in a field may be an amount. */
const USUAL_SIZES = new Set([
  ...[1, 2, 3, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 30, 32, 36, 40, 45, 48, 50, 60, 64, 75],
  ...[80, 90, 96, 99, 100, 120, 125, 128, 150, 200, 250, 256, 300, 400, 500, 512, 750, 1_000],
  ...[1_024, 1_500, 2_000, 2_500, MAX_PAGE_SIZE],
]);

/** @param items - How many items the page has: that is its length. */
const isSize = (value: number | undefined, items?: number): value is number =>
  value !== undefined &&
  value > 0 &&
  value <= MAX_PAGE_SIZE &&
  (USUAL_SIZES.has(value) || value === items);

const wholeNumber = (value: unknown): number | undefined =>
  typeof value === "number" ? value : /^\d{1,6}$/.test(String(value)) ? Number(value) : undefined;

/** What tells an item apart: its ids, because its other fields may change between two reads. */
function itemIdentity(item: unknown): string {
  const ids = isObject(item) ? Object.entries(item).filter(([name]) => isIdName(name)) : [];
  return JSON.stringify(ids.length > 0 ? ids : item);
}

/** A field beside a list that is about paging. */
interface PagingField {
  readonly name: string;
  readonly role: FieldRole;
  readonly value: unknown;
}

/** The fields of an object and of the objects in it that are about paging. */
export function pagingFieldsIn(value: unknown, depth = 0): PagingField[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (isObject(one) && depth < 2) return pagingFieldsIn(one, depth + 1);
    const role = fieldRole(name);
    return role === undefined ? [] : [{ name, role, value: one }];
  });
}

/** The page in a body whose list is at `list`. */
export function readPage(body: unknown, list: string): Page | undefined {
  const fields: PagingField[] = [];
  let items = body;
  for (const name of list === ROOT ? [] : list.split(".")) {
    fields.push(...pagingFieldsIn(items));
    items = isObject(items) ? items[name] : undefined;
  }
  if (!Array.isArray(items)) return undefined;
  const numbers = fields.reverse().map(({ role, value }) => [role, wholeNumber(value)]);
  return { items, numbers: Object.fromEntries(numbers) };
}

const PARAMETER_NAME = /^[A-Za-z][\w-]{0,29}(?:\[[A-Za-z_]{1,20}\])?$/;

/** The parameters of a query that ask for a page. */
export const askedOf = (query: URLSearchParams | undefined): Asked[] =>
  [...(query ?? [])].flatMap(([name, text]) => {
    const role = PARAMETER_NAME.test(name) ? parameterRole(name) : undefined;
    return role === undefined ? [] : [{ name, role, value: wholeNumber(text) }];
  });

const usualSize = ({ items, numbers: { size, total = 0 } }: Page): number | undefined =>
  size ?? (total > items.length ? items.length : undefined);

/** What a page shows that was read without a parameter. */
export function defaultPageAdditions(page: Page, one: Counts): Additions<ListPaging> {
  const size = usualSize(page);
  const { page: number } = page.numbers;
  const order = orderOf(page.items);
  return {
    ...(isSize(size, page.items.length) && { defaultSizes: [size] }),
    ...((number === 0 || number === 1) && { firstPages: [number] }),
    ...(order && { order: { [order]: one } }),
  };
}

/**
 * What a page shows that a query asked for.
 *
 * @param before - The last page that was asked for without a parameter.
 */
export const askedPageAdditions = (
  page: Page,
  asked: readonly Asked[],
  before: Page | undefined,
  one: Counts,
): Additions<ListPaging>[] =>
  asked.flatMap(({ name, role, value }) => {
    const { isEffective, ...additions }: Effect =
      role === "size"
        ? sizeEffect(page, value, before)
        : { isEffective: hasMoved(page, role, value, before) };
    if (isEffective === undefined) return [];
    return [{ ...additions, parameters: { [name]: { [isEffective ? "works" : "ignored"]: one } } }];
  });

interface Effect extends Additions<ListPaging> {
  /** `undefined`: it is not clear. */
  readonly isEffective?: boolean | undefined;
}

/** Whether the page has the length that was asked for. */
function sizeEffect(page: Page, asked: number | undefined, before: Page | undefined): Effect {
  if (!isSize(asked)) return {};
  const { size, total = 0 } = page.numbers;
  const { length } = page.items;
  const usual = before && usualSize(before);
  if (length > asked || (size !== undefined && size > asked)) return { isEffective: false };
  const isCut = total > length && length < asked;
  const given = size !== undefined && size < asked ? size : isCut ? length : undefined;
  if (given !== undefined) {
    // The usual length again: either the parameter has no effect, or that is the largest page.
    const isClear = given !== usual && isSize(given, length);
    return isClear ? { isEffective: true, clampedSizes: [given] } : {};
  }
  const isFull = length === asked && before !== undefined && before.items.length > asked;
  if (asked === usual || (size !== asked && !isFull)) return {};
  return { isEffective: true, largestSize: asked };
}

/** Whether the page is another one. `undefined`: it is not clear. */
function hasMoved(
  { items, numbers }: Page,
  role: Exclude<ParameterRole, "size">,
  asked: number | undefined,
  before: Page | undefined,
): boolean | undefined {
  if (role !== "cursor") {
    if (asked === undefined || asked <= (role === "page" ? 1 : 0)) return undefined;
    const shown = numbers[role];
    if (shown !== undefined) return shown === asked;
  }
  if (before === undefined || before.items.length === 0) return undefined;
  // A page that moved does not hold the item that was the first.
  const first = itemIdentity(before.items[0]);
  return !items.some((item) => itemIdentity(item) === first);
}

/** What a rejection shows of the pages that were asked for. */
export const rejectedPageAdditions = (asked: readonly Asked[]): Additions<ListPaging> => ({
  rejectedSizes: asked.flatMap(({ role, value }) =>
    role === "size" && isSize(value) ? [value] : [],
  ),
});

const TIMES = [
  ...["created_at", "createdAt", "created", "timestamp", "date", "initiated_at", "updated_at"],
];
const NUMBERS = ["id", "payment_id", "invoice_id", "webhook_id"];

/** Which items come first: by their times, or else by their numbers. */
function orderOf(items: readonly unknown[]): "newest" | "oldest" | undefined {
  const [first, last] = [items[0], items.at(-1)];
  if (items.length < 2 || !isObject(first) || !isObject(last)) return undefined;
  const time = TIMES.find((name) => typeof first[name] === "string");
  const number = NUMBERS.find((name) => typeof first[name] === "number");
  const rank = (item: Record<string, unknown>) =>
    time !== undefined ? Date.parse(String(item[time])) : Number(item[number ?? ""]);
  const difference = rank(first) - rank(last);
  return difference > 0 ? "newest" : difference < 0 ? "oldest" : undefined;
}
