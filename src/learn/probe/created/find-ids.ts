import { isObject } from "../../../internal/is-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the probe creates and deletes again. */
export type Thing = "invoice" | "webhook";

/** Names of a field that holds the id of a thing, the likeliest first. `*` stands for the thing. */
const ID_NAMES = ["id", "*_id", "*Id", "uuid", "*_uuid", "*Uuid", "_id", "uid", "guid", "*"];

/** Names of a field that may hold the id of a thing, or something else that is said of it. */
const OTHER_NAMES = ["number", "*_number", "*Number", "reference", "key"];

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

const idsAt = (fields: Fields, names: readonly string[], thing: Thing): string[] =>
  names
    .map((name) => unwrapId(fields[name.replace("*", thing)]))
    .filter(isId)
    .map(String);

const idsOf = (fields: Fields, thing: Thing): string[] =>
  idsAt(fields, [...ID_NAMES, ...OTHER_NAMES], thing);

const hasValue = (fields: Fields, value: string): boolean => Object.values(fields).includes(value);

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Whether a response repeats the mark anywhere. */
export const hasMark = (body: unknown, mark: string): boolean =>
  objectsIn(body).some((one) => hasValue(one, mark));

/** Objects that hold only some fields of a thing. Its id may stand around them. */
const PARTS = /^(?:attributes|properties|fields|details|spec|info)$/i;

/** Objects that may hold the id of a thing, beside the one with its fields. */
const ID_PARTS = /^(?:ids?|identifiers?|identity|meta|metadata|sys|system|resource)$/i;

/** Ids of the thing with the mark, and whether they surely are: not only a number, a reference or a key. */
interface Found {
  readonly ids: readonly string[];
  readonly isSure: boolean;
}

function idsAround(fields: Fields, thing: Thing): Found {
  const parts = Object.entries(fields).filter(([name]) => ID_PARTS.test(name));
  const objects = [fields, ...parts.map(([, part]) => part).filter(isObject)];
  return {
    ids: objects.flatMap((one) => idsOf(one, thing)),
    isSure: objects.some((one) => idsAt(one, ID_NAMES, thing).length > 0),
  };
}

/** @param isItem - Whether the value is inside an item of a list: the whole item is one thing. */
function searchMarked(value: unknown, thing: Thing, mark: string, isItem: boolean): Found {
  const values = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const isInItem = isItem || Array.isArray(value);
  const all = values.map((one) => searchMarked(one, thing, mark, isInItem));
  const inner = { ids: all.flatMap(({ ids }) => ids), isSure: all.some(({ isSure }) => isSure) };
  if (!isObject(value)) return inner;
  const isMarked = hasValue(value, mark);
  if (inner.isSure && !isMarked) return inner;
  const isAround = Object.entries(value).some(
    ([name, one]) => (isItem || PARTS.test(name)) && !Array.isArray(one) && hasMark(one, mark),
  );
  if (!isMarked && !isAround) return inner;
  const around = idsAround(value, thing);
  const ids = isMarked ? [...inner.ids, ...around.ids] : [...around.ids, ...inner.ids];
  return { ids, isSure: inner.isSure || around.isSure };
}

/**
 * The ids that stand beside the mark, wherever in the body and whatever they are called: those of the
 * thing that was created. The likeliest first. Where none stands beside it, the nearest around it
 * count, as far as the object is surely the thing: an item of a list, or `{ id, attributes }`.
 *
 * @param mark - A text that only this thing has.
 */
export const findMarkedIds = (body: unknown, thing: Thing, mark: string): string[] =>
  unique(searchMarked(body, thing, mark, false).ids).filter((id) => id !== mark);

/**
 * The ids anywhere in a body, where it does not repeat the mark. They may also be of something else,
 * such as the request or the merchant: each is to be checked before it is used.
 */
export const findPossibleIds = (body: unknown, thing: Thing): string[] =>
  unique(objectsIn(body).flatMap((one) => idsOf(one, thing)));

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
export const firstId = (body: unknown, thing: Thing): string | undefined =>
  findItems(body).flatMap((one) => idsOf(one, thing))[0];

/** The value of a field with this name, wherever it stands: the outermost. */
export function findField(body: unknown, name: string): string | undefined {
  const values = objectsIn(body)
    .reverse()
    .map((one) => one[name]);
  const found = values.find(isId);
  return found === undefined ? undefined : String(found);
}

/** The cursor of the next page: a text beside a list whose name says so, and that is not a URL. */
export function findCursor(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    const isCursor = /cursor|next|token/i.test(name) && typeof value === "string";
    if (isCursor && value !== "" && !/[:/]/.test(value)) return value;
    const inner = Array.isArray(value) ? undefined : findCursor(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
