import { isObject } from "../../../internal/is-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the probe creates and deletes again. */
export type Thing = "invoice" | "webhook";

/** Names of a field that holds the id of a thing, the likeliest first. `*` stands for the thing. */
const ID_NAMES = [
  ...["id", "*_id", "*Id", "uuid", "*_uuid", "*Uuid", "_id", "guid", "*"],
  ...["number", "*_number", "*Number", "reference", "key"],
];

const idNames = (thing: Thing): readonly string[] =>
  ID_NAMES.map((name) => name.replace("*", thing));

/** Every object in a JSON value, the deepest first. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isObject(value)) return [];
  return [...Object.values(value).flatMap(objectsIn), value];
}

const isId = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

const idsOf = (fields: Fields, thing: Thing): string[] =>
  idNames(thing)
    .map((name) => fields[name])
    .filter(isId)
    .map(String);

const hasValue = (fields: Fields, value: string): boolean => Object.values(fields).includes(value);

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Whether a response repeats the mark anywhere. */
export const hasMark = (body: unknown, mark: string): boolean =>
  objectsIn(body).some((one) => hasValue(one, mark));

/**
 * The ids that stand beside the mark, wherever in the body and whatever they are called: those of the
 * thing that was created. The likeliest first.
 *
 * @param mark - A text that only this thing has.
 */
export const findMarkedIds = (body: unknown, thing: Thing, mark: string): string[] =>
  unique(
    objectsIn(body)
      .filter((one) => hasValue(one, mark))
      .flatMap((one) => idsOf(one, thing)),
  );

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
