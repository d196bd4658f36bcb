const MAX_DEPTH = 6;

/** Whether an error, or one that a library has wrapped in any of its fields, has one of some codes of a database. */
export function hasCode(error: unknown, codes: readonly (string | number)[], depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return false;
  const { cause } = error as { cause?: unknown };
  return [...Object.values(error), cause].some(
    (one) => codes.includes(one as string) || hasCode(one, codes, depth + 1),
  );
}
