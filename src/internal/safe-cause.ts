// What a custom `fetch`, a store or a runtime throws may be anything. It may hold a secret where no
// search sees it (a Request, a closure, a private field), and reading it may throw. So it is kept
// only if all of it could be read and nothing in it has to be hidden. Otherwise a plain copy is kept.

type Redact = (text: string) => string;

const MAX_DEPTH = 12;
const MAX_OBJECTS = 100;
const TOO_DEEP = "[more causes]";
const UNREADABLE = "[an object that cannot be read]";

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

const BUILT_IN_PROTOTYPES: ReadonlySet<unknown> = new Set<unknown>([
  Object.prototype,
  Array.prototype,
  AggregateError.prototype,
  // React Native has none.
  ...(typeof DOMException === "function" ? [DOMException.prototype] : []),
  ...ERROR_TYPES.map(({ prototype }) => prototype),
]);

/** Fields of an error of the runtime that say why it happened. */
const REASON_FIELDS = ["code", "errno", "syscall", "address", "hostname", "port"] as const;

/**
 * Returns what was thrown if all of it is safe to show, else a plain copy with name, message, stack,
 * code and causes. A copy of an error is an error of the nearest standard type. Never throws.
 */
export function safeCause(thrown: unknown, redact: Redact): unknown {
  try {
    if (isSafe(thrown, redact, new Set(), 0)) return thrown;
  } catch {
    // A getter or a Proxy threw.
  }
  return new PlainCopy(redact).of(thrown, 0);
}

function isSafe(value: unknown, redact: Redact, seen: Set<object>, depth: number): boolean {
  if (typeof value === "function") return false;
  if (typeof value !== "object" || value === null) {
    const text = String(value);
    return redact(text) === text;
  }
  if (seen.has(value)) return true;
  if (depth > MAX_DEPTH || seen.size >= MAX_OBJECTS || !hasPlainPrototypes(value)) return false;
  seen.add(value);
  // A DOMException has its name and its message on the prototype.
  const inherited = value instanceof Error ? ["name", "message", "stack"] : [];
  return (
    Reflect.ownKeys(value).every(
      (name) => redact(String(name)) === String(name) && (name === "stack" || isData(value, name)),
    ) &&
    [...Reflect.ownKeys(value), ...inherited].every((name) =>
      isSafe(Reflect.get(value, name), redact, seen, depth + 1),
    )
  );
}

const isData = (value: object, name: PropertyKey): boolean =>
  Object.hasOwn(Reflect.getOwnPropertyDescriptor(value, name) ?? {}, "value");

/**
 * Whether nothing of an object stands outside its own fields. A class of its own may add a
 * constructor and constants, and no method: `toString`, `toJSON` and the like would be called by logs.
 */
function hasPlainPrototypes(value: object): boolean {
  let prototype: object | null = Object.getPrototypeOf(value);
  // Nothing can make a text of it.
  if (prototype === null) return false;
  for (let depth = 0; !BUILT_IN_PROTOTYPES.has(prototype); depth++) {
    const owner = prototype;
    const isPlain = Reflect.ownKeys(owner).every(
      (name) =>
        isData(owner, name) &&
        (name === "constructor" ||
          !["function", "object"].includes(typeof Reflect.get(owner, name))),
    );
    if (!isPlain || depth > MAX_DEPTH) return false;
    prototype = Object.getPrototypeOf(owner);
    // Not an error: a Request, a Map or a socket keeps its state where a search does not see it.
    if (prototype === Object.prototype || prototype === null) return false;
  }
  return true;
}

/** A field, or `undefined` where it cannot be read. */
function read(value: object, name: PropertyKey): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

function tagOf(value: object): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    return UNREADABLE;
  }
}

function isErrorLike(value: object): boolean {
  try {
    // An error of another realm is not an instance of this one's Error.
    return value instanceof Error || tagOf(value) === "[object Error]";
  } catch {
    return false;
  }
}

/** An error of the nearest standard type. */
function emptyError(value: object, message: string): Error {
  try {
    const name = read(value, "name");
    const Type =
      // By its name where it is an error of another realm.
      ERROR_TYPES.find((type) => value instanceof type) ??
      ERROR_TYPES.find((type) => type.name === name);
    return new (Type ?? Error)(message);
  } catch {
    return new Error(message);
  }
}

/** Makes the plain copy of one thrown value. */
class PlainCopy {
  readonly #redact: Redact;
  /** The copies made so far, because an error may refer to itself. */
  readonly #copies = new Map<object, unknown>();

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === "function") return "[a function]";
    if (typeof value !== "object" || value === null) return this.#primitive(value);
    if (this.#copies.has(value)) return this.#copies.get(value);
    if (depth > MAX_DEPTH || this.#copies.size >= MAX_OBJECTS) return TOO_DEEP;
    return this.#object(value, depth);
  }

  #primitive(value: unknown): unknown {
    if (typeof value === "boolean" || value === undefined || value === null) return value;
    const text = String(value);
    const redacted = this.#redact(text);
    return redacted === text && typeof value !== "symbol" ? value : redacted;
  }

  #object(value: object, depth: number): unknown {
    const text = (name: string): string | undefined => {
      const field = read(value, name);
      return typeof field === "string" ? this.#redact(field) : undefined;
    };
    const message = text("message");
    const isError = isErrorLike(value);
    if (!isError && message === undefined) {
      const tag = this.#redact(tagOf(value));
      this.#copies.set(value, tag);
      return tag;
    }
    const copy: object = isError ? emptyError(value, message ?? "") : { message };
    this.#copies.set(value, copy);
    const name = text("name");
    // The copy's own stack would say where it was copied.
    const stack = text("stack") ?? (isError ? `${name ?? "Error"}: ${message ?? ""}` : undefined);
    define(copy, { name: name === read(copy, "name") ? undefined : name, stack }, false);
    define(copy, this.#reasons(value), true);
    const errors = this.#list(read(value, "errors"), depth + 1);
    define(copy, { cause: this.of(read(value, "cause"), depth + 1), errors }, false);
    return copy;
  }

  #reasons(value: object): Record<string, unknown> {
    const fields = REASON_FIELDS.map((name) => [name, read(value, name)] as const);
    return Object.fromEntries(
      fields
        .filter(([, field]) => typeof field === "string" || typeof field === "number")
        .map(([name, field]) => [name, this.#primitive(field)]),
    );
  }

  /** The errors of an AggregateError, such as one for each address of a host. */
  #list(value: unknown, depth: number): unknown[] | undefined {
    try {
      if (!Array.isArray(value)) return undefined;
      const length = Math.min(value.length, MAX_OBJECTS);
      const list = Array.from({ length }, (_, at) => this.of(read(value, at), depth));
      return value.length > length ? [...list, TOO_DEEP] : list;
    } catch {
      return undefined;
    }
  }
}

function define(copy: object, fields: Record<string, unknown>, enumerable: boolean): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    Object.defineProperty(copy, name, { value, enumerable, configurable: true, writable: true });
  }
}
