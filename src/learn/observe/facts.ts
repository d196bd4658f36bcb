import { isObject } from "../../internal/is-object.ts";

/** What one observation shows of a part of a profile: the same places, as far as it has them. */
export type Facts<Part> = Part extends readonly (infer Item)[]
  ? readonly Item[]
  : Part extends object
    ? { readonly [Key in keyof Part]?: Facts<Part[Key]> | undefined }
    : Part;

/** How much a profile holds at a place of this name: keys of a map, or members of a set. */
type Limits = Readonly<Record<string, number>>;

const LIMITS: Limits = {
  body: 600,
  headers: 80,
  values: 30,
  states: 12,
  parameters: 20,
  events: 60,
};
const HEADER_LIMITS: Limits = { ...LIMITS, values: 6 };
const MAX_SET = 12;

type Fields = Record<string, unknown>;

/** Not by assignment, which sets the prototype for `__proto__`. */
const set = (map: Fields, key: string, value: unknown) =>
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });

/**
 * Adds what an observation shows to what is known: maps key by key, sets by union, counts by their sum.
 * What is above the limits of a place is left out.
 *
 * @param name - The name of the place.
 */
export function add<Part extends object>(
  known: Part,
  seen: Facts<Part>,
  name = "",
  limits = LIMITS,
): Part {
  const map = known as Fields;
  for (const [key, value] of Object.entries(seen)) {
    if (value === undefined) continue;
    const isNew = !Object.hasOwn(map, key);
    if (isNew && Object.keys(map).length >= (limits[name] ?? Number.POSITIVE_INFINITY)) continue;
    const before = isNew ? undefined : map[key];
    if (isObject(value)) {
      const inner = (before ?? {}) as Fields;
      if (isNew) set(map, key, inner);
      add(inner, value, key, key === "headers" ? HEADER_LIMITS : limits);
    } else if (Array.isArray(value)) {
      const all = [...new Set([...((before as unknown[]) ?? []), ...value])];
      set(map, key, all.slice(0, limits[key] ?? MAX_SET));
    } else if (key === "largestSize") set(map, key, Math.max((before as number) ?? 0, value));
    else set(map, key, ((before as number) ?? 0) + value);
  }
  return known;
}
