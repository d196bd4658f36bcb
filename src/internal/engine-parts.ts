import { ConfigurationError } from "../errors/configuration.ts";
import { describeValue } from "./check-options.ts";

/** What each method of an engine holds, in words. */
const HELD = {
  idempotency: "idempotency keys",
  inbox: "events",
  checkout: "orders",
  wakeups: "wake-ups",
} as const;

/** What an option takes: a part, or an engine that has one. */
interface PartOption {
  /** The method of an engine that returns the part. */
  readonly part: keyof typeof HELD;
  /** A method that each such part has. */
  readonly method: string;
  /** What to pass, as the message says it: `a store of orders: sqlite(path) or memory()`. */
  readonly expected: string;
}

const has = (value: unknown, method: string): boolean =>
  typeof Object(value)[method] === "function";

/**
 * The part that an option was given: itself, or that of an engine with its defaults.
 *
 * @throws {ConfigurationError} for anything else, such as an engine that cannot hold it.
 */
export function partOf<Part>(
  option: string,
  value: unknown,
  { part, method, expected }: PartOption,
): Part {
  if (has(value, method)) return value as Part;
  if (has(value, part)) return (value as Readonly<Record<string, () => Part>>)[part]?.() as Part;
  const held = Object.entries(HELD).flatMap(([name, what]) => (has(value, name) ? what : []));
  const given =
    held.length === 0
      ? describeValue(value)
      : `an engine that holds ${held.join(" and ")}, but no ${HELD[part]}`;
  throw new ConfigurationError(`\`${option}\` must be ${expected}; got ${given}.`);
}
