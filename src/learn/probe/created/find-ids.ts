import { isObject } from "../../../internal/is-object.ts";
import { fieldRole } from "../../../profile/paging.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the probe creates and deletes again. */
export type CreatedKind = "invoice" | "webhook";

/** The words of a name, in small letters: `WebhookID` is `webhook`, `id`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word !== "");

const ID_WORDS = ["id", "uuid", "uid", "guid"];
/** A field with these may hold the id, or something else about the resource. */
const OTHER_WORDS = ["number", "no", "reference", "ref", "key", "code"];
/** The ids of these are not the resource's. */
const OTHER_OWNERS =
  /^(?:merchant|account|customer|user|organi[sz]ation|owner|company|project|location|external)$/;
const OTHER_RESOURCES = { invoice: /^(?:webhook|payment)$/, webhook: /^(?:invoice|payment)$/ };
const TRACES = /^(?:request|trace|correlation|session)$/;

/** How likely a field holds the id of a resource: the lower, the likelier. `undefined`: it does not. */
function idRank(name: string, resource: CreatedKind): number | undefined {
  const words = wordsOf(name);
  const last = words.pop() ?? "";
  const isOther = (word: string) => OTHER_OWNERS.test(word) || OTHER_RESOURCES[resource].test(word);
  if (words.some(isOther)) return undefined;
  const isOwn = words.length === 0 || words.join("_") === resource;
  if (ID_WORDS.includes(last) && words.some((word) => TRACES.test(word))) return undefined;
  if (ID_WORDS.includes(last)) return isOwn ? 0 : 1;
  if (last === resource && words.length === 0) return 2;
  if (OTHER_WORDS.includes(last) || (last === "code" && words.length > 0)) return isOwn ? 3 : 4;
  return undefined;
}

/** Ranks of names that surely are ids. */
const MAX_SURE_RANK = 2;

/** Every object in a JSON value, the deepest first. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isObject(value)) return [];
  return [...Object.values(value).flatMap(objectsIn), value];
}

const isId = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

/** An id, also where it stands alone in an object: `{ "$oid": "..." }`. */
function unwrapId(value: unknown): unknown {
  const inner = isObject(value) ? Object.values(value) : [];
  return inner.length === 1 ? inner[0] : value;
}

function idsOf(
  fields: Fields,
  resource: CreatedKind,
  maxRank = Number.POSITIVE_INFINITY,
): string[] {
  const ranked = Object.entries(fields).flatMap(([name, value]) => {
    const rank = idRank(name, resource);
    const id = unwrapId(value);
    return rank === undefined || rank > maxRank || !isId(id) ? [] : [{ rank, id: String(id) }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ id }) => id);
}

const hasValue = (fields: Fields, value: string): boolean => Object.values(fields).includes(value);

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Whether a response repeats the mark anywhere. */
export const hasMark = (body: unknown, mark: string): boolean =>
  objectsIn(body).some((one) => hasValue(one, mark));

/** Objects that hold only some fields of a resource. Its id may stand around them. */
const PARTS = /^(?:attributes|properties|fields|details|spec|info)$/i;

/** Objects that may hold the id of a resource, beside the one with its fields. */
const ID_PARTS = /^(?:ids?|identifiers?|identity|meta|metadata|sys|system|resource)$/i;

/** Ids of the resource with the mark, and whether they surely are: not only a number, a reference or a key. */
interface Found {
  readonly ids: readonly string[];
  readonly isSure: boolean;
}

function idsAround(fields: Fields, resource: CreatedKind): Found {
  const parts = Object.entries(fields).filter(([name]) => ID_PARTS.test(name));
  const objects = [fields, ...parts.map(([, part]) => part).filter(isObject)];
  return {
    ids: objects.flatMap((one) => idsOf(one, resource)),
    isSure: objects.some((one) => idsOf(one, resource, MAX_SURE_RANK).length > 0),
  };
}

/** @param isItem - Whether the value is inside an item of a list: the whole item is one resource. */
function searchMarked(value: unknown, resource: CreatedKind, mark: string, isItem: boolean): Found {
  const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const isInItem = isItem || Array.isArray(value);
  const all = values.map((one) => searchMarked(one, resource, mark, isInItem));
  const inner = { ids: all.flatMap(({ ids }) => ids), isSure: all.some(({ isSure }) => isSure) };
  if (!isObject(value)) return inner;
  const isMarked = hasValue(value, mark);
  if (inner.isSure && !isMarked) return inner;
  const isAround = Object.entries(value).some(
    ([name, one]) => (isItem || PARTS.test(name)) && !Array.isArray(one) && hasMark(one, mark),
  );
  if (!isMarked && !isAround) return inner;
  const around = idsAround(value, resource);
  const ids = isMarked ? [...inner.ids, ...around.ids] : [...around.ids, ...inner.ids];
  return { ids, isSure: inner.isSure || around.isSure };
}

/**
 * The ids that stand beside the mark, wherever in the body and whatever they are called: those of the
 * resource that was created. The likeliest first. If none stands beside it, the nearest around it
 * count, as far as the object is surely the resource: an item of a list, or `{ id, attributes }`.
 *
 * @param mark - A text that only this resource has.
 */
export const findMarkedIds = (body: unknown, resource: CreatedKind, mark: string): string[] =>
  unique(searchMarked(body, resource, mark, false).ids).filter((id) => id !== mark);

/**
 * The ids anywhere in a body, if it does not repeat the mark. They may also be of something else,
 * such as the request or the merchant: each is to be checked before it is used.
 */
export const findPossibleIds = (body: unknown, resource: CreatedKind): string[] =>
  unique(objectsIn(body).flatMap((one) => idsOf(one, resource)));

/** The first list of objects in a body, wherever it stands. */
function findItems(body: unknown): Fields[] {
  if (Array.isArray(body)) return body.filter(isObject);
  if (!isObject(body)) return [];
  for (const value of Object.values(body)) {
    const items = findItems(value);
    if (items.length > 0) return items;
  }
  return [];
}

/** The id of the first item of a list. */
export const firstId = (body: unknown, resource: CreatedKind): string | undefined =>
  findItems(body).flatMap((one) => idsOf(one, resource))[0];

/** The value of a field with this name, wherever it stands: the outermost. */
export function findField(body: unknown, name: string): string | undefined {
  const values = objectsIn(body)
    .reverse()
    .map((one) => one[name]);
  const found = values.find(isId);
  return found === undefined ? undefined : String(found);
}

const STATUS_NAME = /^(?:.*[_a-z])?(?:status|state)$/i;

/** The reference of one payment of each status, and of each reason to fail, in the order of a list. */
export function referencesByStatus(body: unknown): string[] {
  const references = new Map<string, string>();
  for (const item of findItems(body)) {
    const status = Object.entries(item).find(([name]) => STATUS_NAME.test(name))?.[1];
    const reference = findField(item, "reference");
    const key = `${status} ${findField(item, "failure_reason")}`;
    if (reference !== undefined && !references.has(key)) references.set(key, reference);
  }
  return [...references.values()];
}

/** The cursor of the next page: a text beside a list with the name of one, and that is not a URL. */
export function findCursor(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const isCursor = fieldRole(name) === "nextCursor" || fieldRole(name) === "nextUrl";
    const isText = typeof value === "string" && value !== "" && !URL.canParse(value);
    const found = isCursor && isText ? value : findCursor(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
