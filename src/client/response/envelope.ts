import { isObject } from "../../internal/is-object.ts";
import { idText } from "../http/payment-in-body.ts";

type Fields = Record<string, unknown>;

/** Whether a 2xx body reports a failure: `success: false`. */
export const isErrorEnvelope = (body: unknown): boolean => isObject(body) && body.success === false;

/** Whether `success` of a body reads like `false`, but is not. No one can say what it means. */
export const isUnclearEnvelope = (body: unknown): boolean =>
  isObject(body) && body.success !== false && /^\s*(false|no|0)\s*$/i.test(String(body.success));

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

/** The name of the array with the items of a list; `undefined` where that would be a guess. */
function arrayName(fields: Fields, names: readonly string[], isData: boolean): string | undefined {
  const known = names.find((name) => Array.isArray(fields[name]));
  if (known !== undefined || !isData) return known;
  const [only, other] = Object.keys(fields).filter((name) => Array.isArray(fields[name]));
  return other === undefined ? only : undefined;
}

/**
 * Finds the items of a list, wherever the service puts them: the body itself, `data`, or an array
 * inside `data`: the one with the name of the resource or with a usual name, or else the only one.
 * `undefined` where there is no list, or several of which none has such a name.
 *
 * @param resource - The name of the items, such as `payments`.
 */
export function findList(body: unknown, resource: string, isData = false): FoundList | undefined {
  if (Array.isArray(body)) return { items: body, meta: {} };
  if (!isObject(body)) return undefined;
  const { data, ...beside } = body;
  const nested = isObject(data) && findList(data, resource, true);
  if (nested) return { items: nested.items, meta: { ...beside, ...nested.meta } };
  const names = [resource, "data", "items", "results", "records"];
  const name = arrayName(body, names, isData);
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
  const fields: Fields = isObject(data) ? data : {};
  const converted: Fields = {};
  for (const name of requiredFields) {
    const value = idText(fields[name]);
    if (value === undefined) throw missing(name);
    if (value !== fields[name]) converted[name] = value;
  }
  return Object.keys(converted).length === 0 ? fields : { ...fields, ...converted };
}
