import { canonicalJson } from "./canonical-json.ts";

/** A JSON text, and the value that it holds. */
export interface WrittenJson {
  readonly text: string;
  readonly value: unknown;
}

type Fields = Record<string, unknown>;

/** Boxed and raw values are objects that are written as one number, text or boolean. */
const isBoxed = (value: object): boolean =>
  /^\[object (?:Boolean|Number|String)\]$/.test(Object.prototype.toString.call(value)) ||
  (JSON as { isRawJSON?: (value: object) => boolean }).isRawJSON?.(value) === true;

/**
 * Writes a value as JSON, and notes what was written: a `toJSON` writes something else than it was given, and
 * may do so once. `undefined` for what JSON cannot hold.
 *
 * @throws what `JSON.stringify` throws: for a cycle, for a bigint, and what a getter or a `toJSON` throws.
 */
export function writeJson(given: unknown): WrittenJson | undefined {
  const whole: Fields = Object.create(null);
  const copies = new Map<unknown, Fields | unknown[]>();
  const text: string | undefined = JSON.stringify(
    given,
    function note(this: unknown, name: string, one: unknown) {
      const copy = (copies.get(this) ?? whole) as Fields;
      copy[name] = one;
      if (typeof one === "function" || typeof one === "symbol") copy[name] = undefined;
      else if (typeof one !== "object" || one === null) return one;
      else {
        // Without a prototype: `__proto__` is a field like any other.
        const inner = Array.isArray(one) ? [] : (Object.create(null) as Fields);
        copies.set(one, inner);
        copy[name] = isBoxed(one) ? JSON.parse(JSON.stringify(one)) : inner;
      }
      return one;
    },
  );
  return text === undefined ? undefined : { text, value: whole[""] };
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * An id as text: a text that is not blank, or a whole number whose digits JSON.parse preserved. Beyond
 * 2^53 a number has lost digits, and would name another payment.
 */
export function idText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/**
 * A value of JSON as a text, for a person. A body from outside may nest deeper than the stack of
 * `JSON.stringify`: it is then written without white space, its fields in the order of their names.
 *
 * @throws {TypeError} for a cycle and for a bigint.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return String(JSON.stringify(value, null, indent));
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}
