import { ConfigurationError } from "../errors/configuration.ts";
import { describeValue } from "./check-options.ts";

/** The engines that are databases of SQL, and hold everything, as messages name them. */
export const SQL_ENGINES = "sqlite(path), postgres(url), mysql(url)";

const has = (value: unknown, method: string): boolean =>
  typeof Object(value)[method] === "function";

/**
 * The part that an option was given: itself, or that of an engine with its defaults.
 *
 * @param part - The method of an engine that returns the part.
 * @param method - A method that each such part has.
 * @param expected - What to pass: `sqlite(path) or memory()`.
 * @throws {ConfigurationError} for anything else, such as an engine that cannot hold it.
 */
export function partOf<Part>(
  option: string,
  value: unknown,
  part: string,
  method: string,
  expected: string,
): Part {
  if (has(value, method)) return value as Part;
  if (has(value, part)) return (value as Record<string, () => Part>)[part]?.() as Part;
  const given = has(value, "inbox") ? "an engine that cannot hold them" : describeValue(value);
  throw new ConfigurationError(`\`${option}\` must be ${expected}; got ${given}.`);
}
