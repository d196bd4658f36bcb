// Texts that come from outside and are stored. Databases do not take all of them.

/** Databases change half of a surrogate pair and a NUL, so two texts could become one. */
export const isStorable = (text: string): boolean =>
  !/\p{Surrogate}/u.test(text) && !text.includes("\0");

/**
 * A text as every database stores it: a sign stands for each character that one of them does not take, and what is
 * longer than the limit is cut off.
 */
export function storableText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return isStorable(cut) ? cut : cut.replaceAll(/[\p{Surrogate}\0]/gu, "\ufffd");
}
