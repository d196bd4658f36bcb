import { replacePhones } from "./phone-digits.ts";

/** Masks one phone number: its first four and last three digits stay, `2547*****678`. */
function maskDigits(digits: string): string {
  return digits.slice(0, 4) + "*".repeat(digits.length - 7) + digits.slice(-3);
}

/** Masks everything in a text that may be a phone number. */
export function maskPhones(text: string): string {
  return replacePhones(text, maskDigits);
}

const REDACTED = "[redacted]";

/** A copy of a JSON value in which no string and no field name contains the secret. */
export function withoutSecret(value: unknown, secret: string): unknown {
  if (typeof value === "string") return value.replaceAll(secret, REDACTED);
  if (Array.isArray(value)) return value.map((item) => withoutSecret(item, secret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(secret, REDACTED),
      withoutSecret(field, secret),
    ]),
  );
}

/**
 * Returns the cause of an error in a form that is safe to keep. If nothing in it contains the
 * secret, that is the same object. Otherwise it is a copy, with the same prototype and the same
 * fields, without the secret. A field that cannot be searched becomes a text such as
 * `[object Request]`.
 */
export function safeCause(cause: unknown, secret: string): unknown {
  return mayContain(cause, secret, new Set()) ? redactedCopy(cause, secret, new Map()) : cause;
}

// Only these can be searched and copied. Any other object (a Request, a Map, a socket) may keep its
// state where a search does not see it, and its copy may not work.
const isSearchable = (value: object): boolean =>
  value instanceof Error ||
  Array.isArray(value) ||
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** The own fields of an object. For an error, also the fields that it may inherit. */
const fieldNames = (value: object): Iterable<PropertyKey> =>
  value instanceof Error
    ? new Set([...Reflect.ownKeys(value), "name", "message", "stack", "code"])
    : Reflect.ownKeys(value);

function mayContain(value: unknown, secret: string, seen: Set<unknown>): boolean {
  if (typeof value === "string") return value.includes(secret);
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  if (!isSearchable(value)) return true;
  return [...fieldNames(value)].some(
    (name) => String(name).includes(secret) || mayContain(Reflect.get(value, name), secret, seen),
  );
}

/** @param copies - The copies made so far, because an error may refer to itself. */
function redactedCopy(value: unknown, secret: string, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "string") return value.replaceAll(secret, REDACTED);
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (!isSearchable(value)) return Object.prototype.toString.call(value);
  const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
  copies.set(value, copy);
  for (const name of fieldNames(value)) {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined) continue;
    const { enumerable = false } = Reflect.getOwnPropertyDescriptor(value, name) ?? {};
    Reflect.defineProperty(
      copy,
      typeof name === "string" ? name.replaceAll(secret, REDACTED) : name,
      {
        value: redactedCopy(field, secret, copies),
        enumerable,
        // An array does not let its length be redefined as configurable.
        configurable: !(Array.isArray(value) && name === "length"),
        writable: true,
      },
    );
  }
  return copy;
}
