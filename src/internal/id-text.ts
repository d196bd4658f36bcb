/**
 * An id as text: a text that is not blank, or a whole number whose digits JSON.parse preserved. Beyond
 * 2^53 a number has lost digits, and would name another payment.
 */
export function idText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
