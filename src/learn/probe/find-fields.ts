import { isObject } from "../../internal/is-object.ts";
import type { FieldRole } from "../../profile/paging.ts";
import { isStatusName } from "../../profile/vocabulary/names.ts";
import { pagingFieldsIn } from "../observe/list-paging.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Every object in a JSON value, the deepest first. */
export function objectsIn(value: unknown): Fields[] {
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

export const isId = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || Number.isSafeInteger(value);

/** The value of a field with this name, wherever it stands: the outermost. */
export function findField(body: unknown, name: string): string | undefined {
  const found = objectsIn(body).findLast((one) => isId(one[name]))?.[name];
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
