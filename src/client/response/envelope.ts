import type { Endpoint } from "../../contract/endpoints.ts";
import type { DriftView } from "../hooks.ts";

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Did the service say no in a 2xx? */
export const saysNo = (body: unknown): boolean => isObject(body) && body.success === false;

/** `data` of an envelope; the body itself where there is none; `{}` for nothing at all. */
export function dataOf(body: unknown): unknown {
  const data = isObject(body) && body.data !== undefined ? body.data : body;
  return data ?? {};
}

/** A list and what came with it. */
export interface FoundList {
  readonly items: unknown[];
  readonly meta: Fields;
}

/**
 * The items of a list, wherever the service puts them: the body itself, `data`, `data.data` or
 * `data.items`. All that stands beside them is `meta`.
 */
export function listIn(body: unknown): FoundList | undefined {
  if (Array.isArray(body)) return { items: body, meta: {} };
  if (!isObject(body)) return undefined;
  for (const name of ["data", "items"]) {
    const { [name]: inner, ...beside } = body;
    if (Array.isArray(inner)) return { items: inner, meta: beside };
    const found = name === "data" && isObject(inner) ? listIn(inner) : undefined;
    if (found) return { items: found.items, meta: { ...beside, ...found.meta } };
  }
  return undefined;
}

/**
 * `data` with what the method promises: each promised field a non-empty string. One that came as a
 * number becomes a string. Gives the name of the field that is missing otherwise.
 */
export function promisedIn(data: unknown, promised: readonly string[]): Fields | string {
  const fields: Fields = isObject(data) ? data : {};
  const mended: Fields = {};
  for (const name of promised) {
    const value = fields[name];
    if (typeof value === "number") mended[name] = String(value);
    else if (typeof value !== "string" || value === "") return name;
  }
  return Object.keys(mended).length === 0 ? fields : { ...fields, ...mended };
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Where an answer departs from its documented type. */
export function driftIn(
  endpoint: string,
  { response, list }: Endpoint,
  data: unknown,
): DriftView[] {
  const items = list === undefined ? [data] : (data as unknown[]);
  return items.flatMap((item, index) => {
    const checked = response?.safeParse(item);
    if (checked === undefined || checked.success) return [];
    return checked.error.issues.map(({ path, message }) => ({
      endpoint,
      path: ["data", ...(list === undefined ? [] : [index]), ...path].map(String).join("."),
      expected: message.replace(/^expected /, ""),
      received: kindOf(path.reduce<unknown>((value, name) => Object(value)[name], item)),
    }));
  });
}
