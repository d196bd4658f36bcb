import { isObject } from "../../internal/is-object.ts";
import { idText } from "../../internal/json.ts";

type Fields = Record<string, unknown>;

/** Whether `success` of a body reads like `false`, but is not. No one can say what it means. */
export const isUnclearEnvelope = (body: unknown): boolean =>
  isObject(body) && body.success !== false && /^\s*(false|no|0)\s*$/i.test(String(body.success));

/** `data` of an envelope; the body itself if there is no envelope; `{}` for an empty body. */
export function dataOf(body: unknown): unknown {
  const data = isObject(body) && body.data !== undefined ? body.data : body;
  return data ?? {};
}

export interface FoundList {
  readonly items: unknown[];
  readonly meta: Fields;
}

/** Arrays that stand beside a list, and must not be taken for an empty one. */
const NO_ITEMS = /^_?(?:errors?|warnings?|messages?|notices?|links?|scopes?|permissions?)$/i;

/** Objects that hold what was asked for, however they are written. */
const WRAPPER = /^(?:data|response(?:_?(?:body|payload|data))?|payload|result)$/i;

/** How many wrappers stand around a list at most: a body may nest deeper than the stack. */
const MAX_WRAPPERS = 10;

/** The name of the only array; `undefined` if there are several, of which one would be a guess. */
function onlyArray(fields: Fields): string | undefined {
  const [only, other] = Object.keys(fields).filter(
    (name) => Array.isArray(fields[name]) && !NO_ITEMS.test(name),
  );
  return other === undefined ? only : undefined;
}

/** The list at a path such as `response.content`, with every field beside it. */
function listAt(body: unknown, [name = "", ...rest]: readonly string[]): FoundList | undefined {
  if (!isObject(body)) return undefined;
  const { [name]: value, ...beside } = body;
  if (rest.length === 0) return Array.isArray(value) ? { items: value, meta: beside } : undefined;
  const inner = listAt(value, rest);
  return inner && { items: inner.items, meta: { ...beside, ...inner.meta } };
}

/**
 * Finds the items of a list, wherever the service puts them: the body itself, `data` or another wrapper,
 * such as `responseBody`, or an array in either: the one with the name of the resource or with a usual name, or else the only one.
 * `undefined` if there is no list, or several of which none has such a name.
 *
 * @param resource - The name of the items, such as `payments`.
 * @param place - The path of the list, if a profile knows it.
 * @param depth - How many wrappers stand around the body.
 */
export function findList(
  body: unknown,
  resource: string,
  place?: string,
  depth = 0,
): FoundList | undefined {
  const learned = place === undefined ? undefined : listAt(body, place.split("."));
  if (learned !== undefined) return learned;
  if (Array.isArray(body)) return { items: body, meta: {} };
  if (!isObject(body) || depth > MAX_WRAPPERS) return undefined;
  const names = [resource, "data", "items", "results", "records"];
  const known = names.find((one) => Array.isArray(body[one]));
  const wrappers = Object.keys(body).filter((one) => known === undefined && WRAPPER.test(one));
  for (const wrapper of ["data", ...wrappers]) {
    const { [wrapper]: inner, ...beside } = body;
    const nested = isObject(inner) && findList(inner, resource, undefined, depth + 1);
    if (nested) return { items: nested.items, meta: { ...beside, ...nested.meta } };
  }
  const name = known ?? onlyArray(body);
  if (name === undefined) return undefined;
  const { [name]: items, ...meta } = body;
  return { items: items as unknown[], meta };
}

/**
 * Checks that `data` has each required field as a string that is not blank, and returns it. A whole
 * number is turned into a string, since services send ids either way.
 *
 * @param missing - Makes the error for the first field that is missing.
 */
export function requireFields(
  data: unknown,
  requiredFields: readonly string[],
  missing: (field: string) => Error,
): Fields {
  const fields: Fields = isObject(data) ? { ...data } : {};
  for (const name of requiredFields) {
    fields[name] = idText(fields[name]);
    if (fields[name] === undefined) throw missing(name);
  }
  return fields;
}
