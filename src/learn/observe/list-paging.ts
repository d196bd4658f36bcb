import { isObject } from "../../internal/is-object.ts";
import { fieldRole, type ParameterRole, parameterRole } from "../../profile/paging.ts";
import { lastName, ROOT } from "../../profile/paths.ts";
import type { ListPaging } from "../../profile/types.ts";
import { addTo, at, countAt, type Draft, type DraftCounts } from "./draft.ts";
import { hashText } from "./hash.ts";

type DraftPaging = Draft<ListPaging>;
type Parameters = NonNullable<DraftPaging["parameters"]>;

/** The last page that was asked for without a parameter: in memory only, never in a profile. */
export interface DefaultPage {
  readonly count: number;
  /** A hash of the first item. */
  readonly first: number | undefined;
  readonly size: number | undefined;
  readonly page: number | undefined;
}

/** A page of a list, as far as paging is concerned. */
export interface PageSeen {
  readonly items: readonly unknown[];
  /** The fields beside the list that are about paging. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_PAGE_SIZE = 5_000;
const MAX_SIZES = 6;
const MAX_PARAMETERS = 20;

/** The lengths of pages that services use. Any other number in a field may be an amount. */
const USUAL_SIZES = new Set([
  ...[1, 2, 3, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 30, 32, 36, 40, 45, 48, 50, 60, 64, 75],
  ...[
    80, 90, 96, 99, 100, 120, 125, 128, 150, 200, 250, 256, 300, 400, 500, 512, 750, 1_000, 1_024,
  ],
  ...[1_500, 2_000, 2_500, 5_000],
]);

/** @param items - How many items the page has: that is its length. */
const isSize = (value: unknown, items?: number): value is number =>
  typeof value === "number" &&
  value > 0 &&
  value <= MAX_PAGE_SIZE &&
  (USUAL_SIZES.has(value) || value === items);

const wholeNumber = (text: string): number | undefined =>
  /^\d{1,6}$/.test(text) ? Number(text) : undefined;

/** The page in a body whose list is at `list`. */
export function readPage(body: unknown, list: string): PageSeen | undefined {
  const names = list === ROOT ? [] : list.split(".");
  const fields: Record<string, unknown> = {};
  let value = body;
  for (const name of names) {
    collectFields(value, fields, 0);
    value = isObject(value) ? value[name] : undefined;
  }
  return Array.isArray(value) ? { items: value, fields } : undefined;
}

function collectFields(value: unknown, fields: Record<string, unknown>, depth: number): void {
  if (!isObject(value)) return;
  for (const [name, one] of Object.entries(value)) {
    if (isObject(one) && depth < 2) collectFields(one, fields, depth + 1);
    else if (fieldRole(lastName(name)) !== undefined) fields[name] = one;
  }
}

function fieldOf({ fields }: PageSeen, role: string): number | undefined {
  const name = Object.keys(fields).find((one) => fieldRole(one) === role);
  const value = name === undefined ? undefined : fields[name];
  return typeof value === "number"
    ? value
    : typeof value === "string"
      ? wholeNumber(value)
      : undefined;
}

const ID_NAME = /^_?(?:id|uuid|reference|number)$|(?:_id|Id|_reference|Reference|_number|Number)$/;

/** An item by its ids: its other fields may change between two reads. */
function hashItem(item: unknown): number {
  const ids = isObject(item) ? Object.entries(item).filter(([name]) => ID_NAME.test(name)) : [];
  return hashText(JSON.stringify(ids.length > 0 ? ids : item) ?? "");
}

const firstHash = ({ items }: PageSeen): number | undefined =>
  items.length === 0 ? undefined : hashItem(items[0]);

/** The parameters of a query that ask for a page. */
export const pagingQuery = (
  query: URLSearchParams | undefined,
): [string, string, ParameterRole][] =>
  [...(query ?? [])].flatMap(([name, value]) => {
    const role =
      name.length <= 30 && /^[A-Za-z][\w-]*(?:\[[A-Za-z_]+\])?$/.test(name)
        ? parameterRole(name)
        : undefined;
    return role === undefined ? [] : [[name, value, role] as [string, string, ParameterRole]];
  });

/** Learns from a page that was read without a parameter, and returns what to compare others with. */
export function addDefaultPage(paging: DraftPaging, page: PageSeen, run: string): DefaultPage {
  const size = fieldOf(page, "size");
  const all = fieldOf(page, "total");
  const more = all !== undefined && all > page.items.length ? page.items.length : undefined;
  const defaultSize = size ?? more;
  if (isSize(defaultSize, page.items.length))
    paging.defaultSizes = addTo(paging.defaultSizes ?? [], defaultSize, MAX_SIZES);
  const number = fieldOf(page, "page");
  if (number === 0 || number === 1) paging.firstPages = addTo(paging.firstPages ?? [], number, 2);
  addOrder(paging, page.items, run);
  return { count: page.items.length, first: firstHash(page), size: defaultSize, page: number };
}

/** Learns from a page that a query asked for. */
export function addAskedPage(
  paging: DraftPaging,
  page: PageSeen,
  query: readonly [string, string, ParameterRole][],
  before: DefaultPage | undefined,
  run: string,
): void {
  for (const [name, value, role] of query) {
    const asked = wholeNumber(value);
    const isEffective =
      role === "size"
        ? sizeEffect(paging, page, asked, before)
        : moveEffect(page, role, asked, before);
    if (isEffective === undefined) continue;
    paging.parameters ??= {};
    addParameter(paging.parameters, name, isEffective ? "works" : "ignored", run);
  }
}

function addParameter(
  parameters: Parameters,
  name: string,
  effect: "works" | "ignored",
  run: string,
) {
  if (!Object.hasOwn(parameters, name) && Object.keys(parameters).length >= MAX_PARAMETERS) return;
  const counts = at<{ works?: DraftCounts; ignored?: DraftCounts }>(parameters, name, () => ({}));
  countAt(counts as Record<string, DraftCounts>, effect, run);
}

/** Whether the page has the length that was asked for. `undefined`: it is not clear. */
function sizeEffect(
  paging: DraftPaging,
  page: PageSeen,
  asked: number | undefined,
  before: DefaultPage | undefined,
): boolean | undefined {
  if (!isSize(asked)) return undefined;
  const { length } = page.items;
  const echo = fieldOf(page, "size");
  if (length > asked || (echo !== undefined && echo > asked)) return false;
  const all = fieldOf(page, "total");
  const isCut = all !== undefined && all > length && length < asked;
  const given = echo !== undefined && echo < asked ? echo : isCut ? length : undefined;
  if (given !== undefined) {
    // The usual length again: either the parameter has no effect, or that is the largest page.
    if (given === before?.size || !isSize(given, length)) return undefined;
    paging.clampedSizes = addTo(paging.clampedSizes ?? [], given, MAX_SIZES);
    return true;
  }
  if (asked === before?.size) return undefined;
  const isFull = length === asked && before !== undefined && before.count > asked;
  if (echo !== asked && !isFull) return undefined;
  paging.largestSize = Math.max(paging.largestSize ?? 0, asked);
  return true;
}

/** Whether the page is another one. `undefined`: it is not clear. */
function moveEffect(
  page: PageSeen,
  role: ParameterRole,
  asked: number | undefined,
  before: DefaultPage | undefined,
): boolean | undefined {
  const isFirst = role !== "cursor" && (asked === undefined || asked <= (role === "page" ? 1 : 0));
  if (isFirst) return undefined;
  const echo = fieldOf(page, role);
  if (role !== "cursor" && echo !== undefined) return echo === asked;
  if (before?.first === undefined) return undefined;
  // A page that moved does not hold the item that was the first.
  return !page.items.some((item) => hashItem(item) === before.first);
}

/** Learns from a request for a page that was rejected. */
export function addRejectedPage(
  paging: DraftPaging,
  query: readonly [string, string, ParameterRole][],
): void {
  for (const [, value, role] of query) {
    const asked = wholeNumber(value);
    if (role !== "size" || !isSize(asked)) continue;
    paging.rejectedSizes = addTo(paging.rejectedSizes ?? [], asked, MAX_SIZES);
  }
}

const TIMES = [
  "created_at",
  "createdAt",
  "created",
  "timestamp",
  "date",
  "initiated_at",
  "updated_at",
];
const NUMBERS = ["id", "payment_id", "invoice_id", "webhook_id"];

function addOrder(paging: DraftPaging, items: readonly unknown[], run: string): void {
  const [first, last] = [items[0], items.at(-1)];
  if (items.length < 2 || !isObject(first) || !isObject(last)) return;
  const time = TIMES.find((name) => typeof first[name] === "string");
  const number = NUMBERS.find((name) => typeof first[name] === "number");
  const difference =
    time !== undefined
      ? Date.parse(String(first[time])) - Date.parse(String(last[time]))
      : number !== undefined
        ? Number(first[number]) - Number(last[number])
        : 0;
  if (difference === 0 || Number.isNaN(difference)) return;
  paging.order ??= {};
  countAt(paging.order, difference > 0 ? "newest" : "oldest", run);
}
