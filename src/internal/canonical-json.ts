/**
 * JSON text in which the order of fields makes no difference: `{ a, b }` and `{ b, a }` are the same
 * parameters.
 */
export function canonicalJson(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
