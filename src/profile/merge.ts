import { byText } from "./counts.ts";
import type { ServiceProfile } from "./types.ts";

type Json =
  | number
  | string
  | boolean
  | readonly (string | number)[]
  | { readonly [key: string]: Json };

const isMap = (value: unknown): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : byText(String(a), String(b));

function join(a: Json, b: Json): Json {
  if (Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])].sort(compare);
  if (isMap(a) && isMap(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byText);
    // Not by assignment, which does something else for `__proto__`.
    return Object.fromEntries(
      keys.map((key) => {
        const [mine, other] = [own(a, key), own(b, key)];
        // With itself if only one has it, so that what is inside it is sorted, too.
        return [key, join((mine ?? other) as Json, (other ?? mine) as Json)];
      }),
    ) as Json;
  }
  return (a as number) > (b as number) ? a : b;
}

const own = (map: Record<string, Json>, key: string): Json | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/**
 * Joins two parts of a profile by its one rule: maps key by key, sets by union, numbers by the larger
 * one. Associative, commutative, and of no effect if one holds the other.
 */
export const mergeValues = <Value>(a: Value, b: Value): Value =>
  join(a as Json, b as Json) as unknown as Value;

/**
 * What two profiles know together. The order does not matter, nor how often a profile is merged: each
 * counts by run.
 *
 * @example
 * ```ts
 * const all = mergeProfiles(parseProfile(staging), parseProfile(production));
 * ```
 */
export const mergeProfiles = (a: ServiceProfile, b: ServiceProfile): ServiceProfile =>
  mergeValues(a, b);
