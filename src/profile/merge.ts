import { isObject } from "../internal/is-object.ts";
import type { Counts } from "./profile-types.ts";

/** How often in all runs. */
export const total = (counts: Counts | undefined): number =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/** Text order by code units, the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const compare = (a: unknown, b: unknown): number =>
  typeof a === "number" && typeof b === "number" ? a - b : byText(String(a), String(b));

function join(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])].sort(compare);
  if (!isObject(a) || !isObject(b)) return (a as number) > (b as number) ? a : b;
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byText);
  // With itself if only one has it, so that what is inside it is sorted, too. `fromEntries`, because an
  // assignment does something else for `__proto__`.
  return Object.fromEntries(
    keys.map((key) => {
      const [mine, other] = [a, b].map((map) => (Object.hasOwn(map, key) ? map[key] : undefined));
      return [key, join(mine ?? other, other ?? mine)];
    }),
  );
}

/**
 * Joins two profiles, or two parts of one, by their one rule: maps key by key, sets by union, numbers by the larger
 * one. Associative, commutative, and of no effect if one holds the other.
 */
export const mergeValues = <Value>(a: Value, b: Value): Value => join(a, b) as Value;
