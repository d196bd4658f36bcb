import { pathSegment } from "../../client/http/url.ts";
import { isObject } from "../../internal/is-object.ts";
import type { FieldRole } from "../../profile/paging.ts";
import { isStatusName, wordsOf } from "../../profile/vocabulary/names.ts";
import { pagingFieldsIn } from "../observe/list-paging.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Every object in a JSON value, the deepest first. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isObject(value)) return [];
  return [...Object.values(value).flatMap(objectsIn), value];
}

/** The first list of objects in a body, wherever it stands. */
export function findItems(body: unknown): Fields[] {
  if (Array.isArray(body)) return body.filter(isObject);
  if (!isObject(body)) return [];
  const lists = Object.values(body).map(findItems);
  return lists.find(({ length }) => length > 0) ?? [];
}

/** Whether a value may be an id: one that a path can hold, since `DELETE /invoices/..` deletes something else. */
const isId = (value: unknown): value is string | number =>
  (typeof value === "string" && pathSegment(value) !== undefined) || Number.isSafeInteger(value);

/** The value of a field with this name: in the documented place, or else the outermost. */
export function findField(body: unknown, name: string): string | undefined {
  const { data } = Object(body) as { data?: unknown };
  const places = [...objectsIn(body), ...(isObject(data) ? [data] : [])];
  const found = places.findLast((one) => isId(one[name]))?.[name];
  return found === undefined ? undefined : String(found);
}

/** The reference of one payment of each status, and of each reason to fail, in the order of a list. */
export function referencesByStatus(body: unknown): string[] {
  const references = new Map<string, string>();
  for (const item of findItems(body)) {
    const status = Object.entries(item).find(([name]) => isStatusName(name))?.[1];
    const reference = findField(item, "reference");
    const key = `${status} ${findField(item, "failure_reason")}`;
    if (reference !== undefined && !references.has(key)) references.set(key, reference);
  }
  return [...references.values()];
}

/** The name of the number beside a list that has a role. */
export const findPagingName = (body: unknown, wanted: FieldRole): string | undefined =>
  pagingFieldsIn(body).find(({ role, value }) => role === wanted && typeof value === "number")
    ?.name;

/** The cursor of the next page: a text beside a list with the name of one, and that is not a URL. */
export const findCursor = (body: unknown): string | undefined =>
  pagingFieldsIn(body).flatMap(({ role, value }) => {
    const isCursor = role === "nextCursor" || role === "nextUrl";
    return isCursor && typeof value === "string" && value !== "" && !URL.canParse(value)
      ? [value]
      : [];
  })[0];

/** What the probe creates and deletes again. */
export type CreatedKind = "invoice" | "webhook";

const ID_WORDS = ["id", "uuid", "uid", "guid"];
/** A field with these may hold the id, or something else about the resource. */
const OTHER_WORDS = ["number", "no", "reference", "ref", "key", "code"];
/** The ids of these are not the resource's. */
const OTHER_OWNERS = [
  ...["merchant", "account", "customer", "user", "organisation", "organization", "owner"],
  ...["company", "project", "location", "external", "payment"],
];
const TRACES = ["request", "trace", "correlation", "session"];

/** How likely a field holds the id of a resource: the lower, the likelier. `undefined`: it does not. */
function idRank(name: string, resource: CreatedKind): number | undefined {
  const words = wordsOf(name);
  const last = words.pop() ?? "";
  const other = resource === "invoice" ? "webhook" : "invoice";
  // The id of a payment page is not that of a payment.
  const isOther = OTHER_OWNERS.includes(words.at(-1) ?? "") || words.includes("external");
  if (isOther || words.includes(other)) return undefined;
  if (words.some((word) => OTHER_OWNERS.includes(word)))
    return ID_WORDS.includes(last) ? 4 : undefined;
  const isOwn = words.length === 0 || words.join("_") === resource;
  if (ID_WORDS.includes(last)) {
    if (words.some((word) => TRACES.includes(word))) return undefined;
    return isOwn ? 0 : 1;
  }
  if (last === resource && words.length === 0) return MAX_SURE_RANK;
  return OTHER_WORDS.includes(last) ? (isOwn ? 3 : 4) : undefined;
}

/** Ranks of names that surely are ids. */
const MAX_SURE_RANK = 2;

/** An id, also where it stands alone in an object: `{ "$oid": "..." }`. */
function unwrapId(value: unknown): unknown {
  const inner = isObject(value) ? Object.values(value) : [];
  return inner.length === 1 ? inner[0] : value;
}

/** The ids among the fields of an object, the likeliest first. */
const idsOf = (fields: Fields, resource: CreatedKind, maxRank = 4): string[] =>
  Object.entries(fields)
    .map(([name, value]) => ({ rank: idRank(name, resource) ?? 5, id: unwrapId(value) }))
    .filter(({ rank, id }) => rank <= maxRank && isId(id))
    .sort((a, b) => a.rank - b.rank)
    .map(({ id }) => String(id));

const hasValue = (fields: Fields, value: string): boolean => Object.values(fields).includes(value);

/** Whether a response repeats the mark anywhere. */
export const hasMark = (body: unknown, mark: string): boolean =>
  objectsIn(body).some((one) => hasValue(one, mark));

/** Objects that hold only some fields of a resource. Its id may stand around them. */
const PARTS = /^(?:attributes|properties|fields|details|spec|info)$/i;

/** Objects that may hold the id of a resource, beside the one with its fields. */
const ID_PARTS = /^(?:ids?|identifiers?|identity|meta|metadata|sys|system|resource)$/i;

/** The ids of an object and of its parts. */
function idsAround(fields: Fields, resource: CreatedKind, maxRank?: number): string[] {
  const parts = Object.entries(fields).filter(([name]) => ID_PARTS.test(name));
  return [fields, ...parts.map(([, part]) => part).filter(isObject)].flatMap((one) =>
    idsOf(one, resource, maxRank),
  );
}

/**
 * The objects that are one resource: the one with the mark, and those around it that surely are the
 * same. The innermost first.
 *
 * @param isItem - Whether the value is in an item of a list: the whole item is one resource.
 */
function objectsWith(value: unknown, mark: string, isItem: boolean): Fields[] {
  const entries = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  const inner = entries.flatMap(([, one]) =>
    objectsWith(one, mark, isItem || Array.isArray(value)),
  );
  if (!isObject(value)) return inner;
  const isAround = entries.some(
    ([name, one]) => (isItem || PARTS.test(name)) && !Array.isArray(one) && hasMark(one, mark),
  );
  return hasValue(value, mark) || isAround ? [...inner, value] : inner;
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/**
 * The ids that stand beside the mark, wherever in the body and whatever they are called: those of the
 * resource that was created. The likeliest first. If none stands beside it, the nearest around it
 * count, as far as the object is surely the resource: an item of a list, or `{ id, attributes }`.
 *
 * @param mark - A text that only this resource has.
 */
export function findMarkedIds(body: unknown, resource: CreatedKind, mark: string): string[] {
  const objects = objectsWith(body, mark, false);
  const nearest = objects.findIndex((one) => idsAround(one, resource, MAX_SURE_RANK).length > 0);
  // A number or a key inside the nearest object with an id may be something else.
  const [id = [], ...others] = objects
    .slice(0, nearest === -1 ? undefined : nearest + 1)
    .map((one) => idsAround(one, resource))
    .reverse();
  return unique([...id, ...others.flat()]).filter((one) => one !== mark);
}

/**
 * The ids anywhere in a body, if it does not repeat the mark. They may also be of something else,
 * such as the request or the merchant: each is to be checked before it is used.
 */
export const findPossibleIds = (body: unknown, resource: CreatedKind): string[] =>
  unique(objectsIn(body).flatMap((one) => idsOf(one, resource)));

/** The id of the first item of a list. */
export const firstId = (body: unknown, resource: CreatedKind): string | undefined =>
  findItems(body).flatMap((one) => idsOf(one, resource))[0];
