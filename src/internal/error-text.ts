import { maskPhones } from "./phone-digits.ts";

/** The text of anything that a handler threw, as a dead letter shows it: with phone numbers masked. */
export function errorText(error: unknown): string {
  try {
    return maskPhones(String(error));
  } catch {
    return "The handler threw a value that has no text.";
  }
}

/**
 * Errors that differ only in a reference, an id, an amount, a time or a number are the same one. A number
 * of three digits may be the status of a response, and stays.
 */
export const sameError = (error: string): string =>
  error.replaceAll(/[\w-](?:[\w:.-]*[\w-])?/g, (word) =>
    /^(?=.*\d)(?:.{5,}|(?!\d{3}$)\d+)$/.test(word) ? "…" : word,
  );
