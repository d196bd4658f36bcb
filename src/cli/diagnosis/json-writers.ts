/** `{"a": [1, 2]}`, as Python writes it. Recursive: throws a RangeError for a very deep value. */
function writeWithSpaces(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeWithSpaces).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${writeWithSpaces(field)}`,
  );
  return `{${fields.join(", ")}}`;
}

const escapeNonAscii = (json: string) =>
  json.replace(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** How the usual JSON libraries of JavaScript, Python and PHP serialise a value. */
export const JSON_WRITERS: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => JSON.stringify(value, null, 4),
  (value) => escapeNonAscii(JSON.stringify(value)),
  (value) => escapeNonAscii(JSON.stringify(value)).replaceAll("/", "\\/"),
  writeWithSpaces,
  (value) => escapeNonAscii(writeWithSpaces(value)),
];
