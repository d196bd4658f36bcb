const LEVELS = 50_000;

const nested = (open: string, close: string): string =>
  `${open.repeat(LEVELS)}1${close.repeat(LEVELS)}`;

/**
 * Bodies of JSON that nest deeper than a function that calls itself can follow, by what they consist of.
 *
 * @param name - The name of a field that the reader looks into.
 */
export const deepBodies = (name: string): readonly (readonly [what: string, body: string])[] => [
  ["lists", nested("[", "]")],
  [`objects with ${name}`, nested(`{"${name}":`, "}")],
  ["objects with an unknown field", nested('{"zz":', "}")],
  [`lists of objects with ${name}`, nested(`[{"${name}":`, "}]")],
  [`${name} with lists`, `{"success":true,"${name}":${nested("[", "]")}}`],
];
