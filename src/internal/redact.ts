import { maskPhones } from "./phone-digits.ts";
import { safeCause } from "./safe-cause.ts";
import { secretPattern } from "./secret-pattern.ts";

/** Takes one secret out of what is shown. One for each gateway: the encodings are computed once. */
export interface Redactor {
  text(text: string): string;
  headerName(name: string): string;
  /** A copy of a JSON value in which no string and no field name contains the secret. */
  json(value: unknown): unknown;
  /**
   * What a foreign function threw, in a form that is safe to keep: without the secret, with phone
   * numbers masked. Never throws.
   */
  cause(error: unknown): unknown;
}

function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactJson(field, redact)]),
  );
}

/** @param secret - Printable ASCII characters. */
export function createRedactor(secret: string): Redactor {
  let pattern: RegExp | undefined;
  const replace = (text: string, marker: string) => {
    // A gateway whose calls succeed never needs it.
    pattern ??= secretPattern(secret);
    return text.replace(pattern, marker);
  };
  const text = (given: string) => replace(given, "[redacted]");
  return {
    text,
    // A header name cannot have brackets.
    headerName: (name) => replace(name, "redacted"),
    json: (value) => redactJson(value, text),
    cause: (error) => safeCause(error, (given) => maskPhones(text(given))),
  };
}
