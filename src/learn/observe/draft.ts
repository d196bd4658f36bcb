import type { Counts } from "../../profile/types.ts";

/** A part of a profile while it grows. */
export type Draft<Part> = Part extends readonly (infer Item)[]
  ? Draft<Item>[]
  : Part extends object
    ? { -readonly [Key in keyof Part]: Draft<Part[Key]> }
    : Part;

export type DraftCounts = Draft<Counts>;

/** The value of a key, made if there is none. */
export function at<Value>(map: { [key: string]: Value }, key: string, make: () => Value): Value {
  if (Object.hasOwn(map, key)) return map[key] as Value;
  const value = make();
  // Not by assignment, which sets the prototype for `__proto__`.
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  return value;
}

/** Adds one to the count of a run. */
export function count(counts: DraftCounts, run: string): void {
  counts[run] = (counts[run] ?? 0) + 1;
}

/** Adds one to the count of a run, of a key that may be new. */
export const countAt = (map: { [key: string]: DraftCounts }, key: string, run: string): void =>
  count(
    at(map, key, () => ({})),
    run,
  );

/** Adds a value to a set, up to its greatest size. */
export function addTo<Value>(set: Value[], value: Value, maxSize: number): Value[] {
  if (!set.includes(value) && set.length < maxSize) set.push(value);
  return set;
}
