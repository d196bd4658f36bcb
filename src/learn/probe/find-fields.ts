import { isObject } from "../../internal/is-object.ts";
import { type FieldRole, fieldRole } from "../../profile/paging.ts";

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

/** The first field beside a list that is accepted, at any depth. */
function findBeside(
  body: unknown,
  accepts: (role: FieldRole | undefined, value: unknown) => boolean,
): readonly [name: string, value: unknown] | undefined {
  for (const [name, value] of isObject(body) ? Object.entries(body) : []) {
    const found = accepts(fieldRole(name), value) ? ([name, value] as const) : undefined;
    const one = found ?? findBeside(value, accepts);
    if (one !== undefined) return one;
  }
  return undefined;
}

/** The name of the number beside a list that has a role. */
export const findPagingName = (body: unknown, wanted: FieldRole): string | undefined =>
  findBeside(body, (role, value) => role === wanted && typeof value === "number")?.[0];

/** The cursor of the next page: a text beside a list with the name of one, and that is not a URL. */
export function findCursor(body: unknown): string | undefined {
  const found = findBeside(
    body,
    (role, value) =>
      (role === "nextCursor" || role === "nextUrl") &&
      typeof value === "string" &&
      value !== "" &&
      !URL.canParse(value),
  );
  return found && String(found[1]);
}
