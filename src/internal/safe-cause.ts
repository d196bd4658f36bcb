// What a custom `fetch`, a store or a runtime throws may be anything. It may hold a secret that no
// search sees (a Request, a closure, a private field), and reading it may throw. So an error never holds
// it: it holds a plain copy.

type Redact = (text: string) => string;

const MAX_DEPTH = 12;
const MAX_OBJECTS = 100;

/** `Error` comes last: every other one is an instance of it too. */
const ERROR_TYPES = [
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Error,
] as const;

/** Fields of an error of the runtime that say why it happened. */
const REASON_FIELDS = ["code", "errno", "syscall", "address", "hostname", "port"] as const;

/** A field, or `undefined` if it cannot be read. */
function read(value: object, name: PropertyKey): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

/**
 * Returns a plain copy of what was thrown: an error of the nearest standard type with name, message,
 * stack, code and causes; of a value that is not an error, its text or its kind. Never throws.
 */
export function safeCause(thrown: unknown, redact: Redact): unknown {
  /** An error may refer to itself. */
  const copies = new Map<object, unknown>();

  function copyOf(value: unknown, depth: number): unknown {
    if (typeof value === "function") return "[a function]";
    if (typeof value === "object" && value !== null) {
      if (copies.has(value)) return copies.get(value);
      if (depth > MAX_DEPTH || copies.size >= MAX_OBJECTS) return "[more causes]";
      try {
        return copyOfObject(value, depth);
      } catch {
        // A Proxy threw.
        return "[an object that cannot be read]";
      }
    }
    const text = String(value);
    const redacted = redact(text);
    return redacted === text && typeof value !== "symbol" ? value : redacted;
  }

  function copyOfObject(value: object, depth: number): unknown {
    const text = (name: string): string | undefined => {
      const field = read(value, name);
      return typeof field === "string" ? redact(field) : undefined;
    };
    const message = text("message");
    if (message === undefined) return redact(Object.prototype.toString.call(value));
    const name = text("name") ?? "Error";
    const Type =
      // By its name if it is an error of another realm.
      ERROR_TYPES.find((type) => type.name === name) ??
      ERROR_TYPES.find((type) => value instanceof type) ??
      Error;
    const copy = new Type(message);
    copies.set(value, copy);
    const define = (field: string, fieldValue: unknown, enumerable = false) => {
      if (fieldValue === undefined) return;
      Object.defineProperty(copy, field, { value: fieldValue, enumerable, configurable: true });
    };
    if (copy.name !== name) define("name", name);
    // The copy's own stack would say where it was copied.
    define("stack", text("stack") ?? `${name}: ${message}`);
    for (const field of REASON_FIELDS) {
      const reason = read(value, field);
      if (["string", "number"].includes(typeof reason)) define(field, copyOf(reason, depth), true);
    }
    define("cause", copyOf(read(value, "cause"), depth + 1));
    const errors = read(value, "errors");
    // One for each address of a host.
    if (Array.isArray(errors)) {
      const first = errors.slice(0, MAX_OBJECTS).map((error) => copyOf(error, depth + 1));
      define("errors", first);
    }
    return copy;
  }

  return copyOf(thrown, 0);
}
