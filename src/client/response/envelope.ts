import { isObject } from "../../internal/is-object.ts";

type Fields = Record<string, unknown>;

/** Whether a 2xx body reports a failure: `success: false`. */
export const isErrorEnvelope = (body: unknown): boolean => isObject(body) && body.success === false;

/** `data` of an envelope; the body itself where there is no envelope; `{}` for an empty body. */
export function dataOf(body: unknown): unknown {
  const data = isObject(body) && body.data !== undefined ? body.data : body;
  return data ?? {};
}

/** The items of a list, and every field that stood beside them. */
export interface FoundList {
  readonly items: unknown[];
  readonly meta: Fields;
}

/**
 * Finds the items of a list, wherever the service puts them: the body itself, `data`, `data.data` or
 * `data.items`. `undefined` where there is no list.
 */
export function findList(body: unknown): FoundList | undefined {
  if (Array.isArray(body)) return { items: body, meta: {} };
  if (!isObject(body)) return undefined;
  for (const name of ["data", "items"]) {
    const { [name]: inner, ...meta } = body;
    if (Array.isArray(inner)) return { items: inner, meta };
    const nested = name === "data" && isObject(inner) ? findList(inner) : undefined;
    if (nested) return { items: nested.items, meta: { ...meta, ...nested.meta } };
  }
  return undefined;
}

/**
 * Checks that `data` has each required field as a non-empty string, and returns it. A number is
 * turned into a string, since services send ids either way.
 *
 * @param missing - Makes the error for the first field that is missing.
 */
export function requireFields(
  data: unknown,
  requiredFields: readonly string[],
  missing: (field: string) => Error,
): Fields {
  const fields: Fields = isObject(data) ? data : {};
  const converted: Fields = {};
  for (const name of requiredFields) {
    const value = fields[name];
    if (typeof value === "number") converted[name] = String(value);
    else if (typeof value !== "string" || value === "") throw missing(name);
  }
  return Object.keys(converted).length === 0 ? fields : { ...fields, ...converted };
}
