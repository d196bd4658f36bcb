import { isObject } from "../../internal/is-object.ts";
import type { Counts, HeaderShape } from "../../profile/profile-types.ts";
import { textFormat } from "../../profile/vocabulary/formats.ts";
import { isHeaderName } from "../../profile/vocabulary/names.ts";
import type { HeaderEntries } from "../observed.ts";

/** What one observation shows of a part of a profile: the same places, as far as it has them. */
export type Additions<Part> = Part extends readonly (infer Item)[]
  ? readonly Item[]
  : Part extends object
    ? { readonly [Key in keyof Part]?: Additions<Part[Key]> | undefined }
    : Part;

/** How much a profile holds at a place of this name: keys of a map, or members of a set. */
type Limits = Readonly<Record<string, number>>;

const LIMITS: Limits = {
  body: 600,
  headers: 80,
  values: 30,
  states: 12,
  parameters: 20,
  bodyResults: 12,
  success: 12,
  failure: 30,
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
  seen: Additions<Part>,
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
    } else if (key === "largestSize" || key === "listedWithinMs")
      set(map, key, Math.max((before as number) ?? 0, value));
    else set(map, key, ((before as number) ?? 0) + value);
  }
  return known;
}

const METHOD = "(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)";

/** The only headers whose values are stored, and the only values. */
const STORED: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^content-type$/,
    /^(?:application\/(?:json|problem\+json|vnd\.api\+json|hal\+json|xml)|text\/(?:html|plain|xml))(?:; ?charset=(?:utf-8|us-ascii|iso-8859-1))?$/i,
  ],
  [/^retry-after$/, /^\d{1,5}$/],
  [/^allow$/, new RegExp(`^${METHOD}(?:, ?${METHOD})*$`)],
  [/^(?:x-)?rate-?limit-limit$/, /^\d{1,7}$/],
  [/^access-control-allow-origin$/, /^\*$/],
];

/** The names of headers, the formats of their values, and the few values that may be stored. */
export function headersOf(entries: HeaderEntries, one: Counts): Record<string, HeaderShape> {
  const headers: Record<string, HeaderShape> = {};
  for (const [given, value] of entries) {
    const name = given.toLowerCase();
    if (!isHeaderName(name)) continue;
    const isStored = STORED.some(([names, values]) => names.test(name) && values.test(value));
    const header = {
      seen: one,
      formats: [textFormat(value)],
      ...(isStored && { values: [value] }),
    };
    add(headers, { [name]: header });
  }
  return headers;
}
