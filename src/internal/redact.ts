// Nine digits or more, in any usual way of writing a phone: +254 (712) 345-678, 0712.345.678; in an
// address too, where a space is %20 or +.
const PHONE = /\+?\(?\d(?:(?:[\s().+-]|%2[089BD]){0,2}\d){8,}/gi;

/**
 * Masks one phone number: its first four and last three digits stay, `2547*****678`.
 * Anything shorter than eight digits is masked whole.
 */
function maskPhone(phone: string): string {
  const digits = phone.replace(/%..|\D/g, "");
  return digits.length < 8
    ? "*".repeat(digits.length)
    : digits.slice(0, 4) + "*".repeat(digits.length - 7) + digits.slice(-3);
}

/** Masks whatever in a text may be a phone number. */
export function maskPhones(text: string): string {
  return text.replace(PHONE, maskPhone);
}

const REDACTED = "[redacted]";

/** A copy of a JSON value in which no string and no field name holds the secret. */
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

// A copy is made of these alone. Whatever else there is (a Request, a Map, an address, a socket) may
// hide its state where no search reaches, and may break as a copy.
const isOpen = (value: object): boolean =>
  value instanceof Error ||
  Array.isArray(value) ||
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** The names of what an object shows; of an error also what it may show by inheritance. */
const namesIn = (value: object): Iterable<PropertyKey> =>
  value instanceof Error
    ? new Set([...Reflect.ownKeys(value), "name", "message", "stack", "code"])
    : Reflect.ownKeys(value);

function mayShow(value: unknown, secret: string, seen: Set<unknown>): boolean {
  if (typeof value === "string") return value.includes(secret);
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  if (!isOpen(value)) return true;
  return [...namesIn(value)].some(
    (name) => String(name).includes(secret) || mayShow(Reflect.get(value, name), secret, seen),
  );
}

function copyOf(value: unknown, secret: string, copies: Map<unknown, unknown>): unknown {
  if (typeof value === "string") return value.replaceAll(secret, REDACTED);
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (!isOpen(value)) return Object.prototype.toString.call(value);
  const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
  copies.set(value, copy);
  for (const name of namesIn(value)) {
    const field: unknown = Reflect.get(value, name);
    if (field === undefined) continue;
    const { enumerable = false } = Reflect.getOwnPropertyDescriptor(value, name) ?? {};
    Reflect.defineProperty(
      copy,
      typeof name === "string" ? name.replaceAll(secret, REDACTED) : name,
      {
        value: copyOf(field, secret, copies),
        enumerable,
        // The length of an array stays what it is.
        configurable: !(Array.isArray(value) && name === "length"),
        writable: true,
      },
    );
  }
  return copy;
}

/**
 * A foreign error that is safe to keep as a `cause`: the same object where it says nothing of the
 * secret, otherwise a look-alike (same prototype, same fields) with the secret taken out. Fields
 * that cannot be searched are shown by their kind alone: `[object Request]`.
 */
export function safeCause(cause: unknown, secret: string): unknown {
  return mayShow(cause, secret, new Set()) ? copyOf(cause, secret, new Map()) : cause;
}
