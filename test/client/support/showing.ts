import { inspect } from "node:util";

/** Everything that a value shows: as text, as JSON, in a log, with its causes. */
function allThatShows(value: unknown, depth = 0): string[] {
  const shown = [
    String(value),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
  ];
  const asJson = JSON.stringify(value);
  if (asJson !== undefined) shown.push(asJson);
  if (typeof value !== "object" || value === null || depth > 10) return shown;
  if (value instanceof Headers) shown.push(...[...value].flat());
  for (const name of [
    "message",
    "stack",
    "cause",
    "body",
    "headers",
    "issues",
    "errors",
  ] as const) {
    const field: unknown = Reflect.get(value, name);
    if (field !== undefined) shown.push(...allThatShows(field, depth + 1));
  }
  return shown;
}

/** The places in which a secret shows, unchanged or as JSON and logs escape it. */
export function showingsOf(secret: string, value: unknown): string[] {
  const forms = [secret, JSON.stringify(secret), inspect(secret)].map((form, at) =>
    at === 0 ? form : form.slice(1, -1),
  );
  return allThatShows(value).filter((shown) => forms.some((form) => shown.includes(form)));
}
