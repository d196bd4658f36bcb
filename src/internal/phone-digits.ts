// How people write a phone number: digits, with spaces, dashes (\p{Pd}) and brackets between them,
// and a plus sign in front. Checking a number and masking it use the same list.

const SEPARATOR = String.raw`\s\p{Pd}()[\]`;

const MIN_DIGITS = 9;
const MAX_DIGITS = 15;

const SEPARATORS = new RegExp(`[${SEPARATOR}]`, "gu");
const DIGITS = new RegExp(`^\\d{${MIN_DIGITS},${MAX_DIGITS}}$`);

/** Removes separators and a leading plus sign: `+254 712-345678` becomes `254712345678`. */
export function phoneDigits(phone: string): string {
  return phone.replace(SEPARATORS, "").replace(/^\+/, "");
}

/** Whether a text has nothing but the digits of a phone number: 9 to 15. */
export function isPhoneDigits(text: string): boolean {
  return DIGITS.test(text);
}

// In a URL, separators are percent-encoded: space ( ) + - [ ], no-break space, Unicode dashes.
const ENCODED_SEPARATOR = "%(?:2[089BD]|5[BD]|C2%A0|E2%80%9[0-5])";
const BETWEEN_DIGITS = `(?:[${SEPARATOR}.+]|${ENCODED_SEPARATOR})*`;

/**
 * Finds everything in a text that may be a phone number, in a URL too. It finds more than
 * `phoneDigits` accepts: dots between the digits, and any number of digits from nine up.
 */
const PHONE_IN_TEXT = new RegExp(
  String.raw`\+?[([]?\d(?:${BETWEEN_DIGITS}\d){${MIN_DIGITS - 1},}`,
  "giu",
);

/** Replaces everything in a text that may be a phone number by `replace(its digits)`. */
export function replacePhones(text: string, replace: (digits: string) => string): string {
  return text.replace(PHONE_IN_TEXT, (phone) => replace(phone.replace(/%[\dA-F]{2}|\D/gi, "")));
}
