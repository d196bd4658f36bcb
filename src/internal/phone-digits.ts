// How people write a phone number: digits, with spaces, dashes (\p{Pd}) and brackets between them,
// and a plus sign in front. Checking a number and masking it use the same list.

const SEPARATOR = String.raw`\s\p{Pd}()[\]`;

const MIN_DIGITS = 9;
const MAX_DIGITS = 15;

/** What a message says of a phone number that cannot be used. */
export const PHONE_EXPECTED =
  "expected a phone number of 9 to 15 digits, such as 0712345678 or +254 712 345 678";

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

// What is masked is more than what is accepted: dots, slashes, plus signs and invisible characters
// (\p{Cf}) between the digits too, and any number of digits from nine up.
const PHONE_IN_TEXT = new RegExp(
  String.raw`\+?[([]?\d(?:[${SEPARATOR}.+/\p{Cf}]*\d){${MIN_DIGITS - 1},}`,
  "gu",
);

/** One percent-encoded character of UTF-8, or any other character. */
const CHARACTER =
  /%[0-7][\dA-F]|%[CD][\dA-F]%[89AB][\dA-F]|%E[\dA-F](?:%[89AB][\dA-F]){2}|%F[0-7](?:%[89AB][\dA-F]){3}|[\s\S]/giu;

function decodeCharacter(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * Replaces everything in a text that may be a phone number by `replace(its digits)`. In a URL, the
 * digits and the separators may be percent-encoded.
 */
function replacePhones(text: string, replace: (digits: string) => string): string {
  const replaceAll = (from: string, onPhone: (digits: string, at: number, end: number) => string) =>
    from.replace(PHONE_IN_TEXT, (phone, at: number) =>
      onPhone(phone.replace(/\D/g, ""), at, at + phone.length),
    );
  if (!text.includes("%")) return replaceAll(text, replace);
  // Looked for in the decoded text, replaced in the text itself.
  let decoded = "";
  /** Where each character of the decoded text begins in the text. */
  const starts: number[] = [];
  for (const { 0: encoded, index } of text.matchAll(CHARACTER)) {
    const character = decodeCharacter(encoded);
    decoded += character;
    for (let unit = 0; unit < character.length; unit++) starts.push(index);
  }
  let result = "";
  let copied = 0;
  replaceAll(decoded, (digits, at, end) => {
    result += text.slice(copied, starts[at]) + replace(digits);
    copied = starts[end] ?? text.length;
    return "";
  });
  return result + text.slice(copied);
}

/** Masks one phone number: its first four and last three digits stay, `2547*****678`. */
function maskDigits(digits: string): string {
  return digits.slice(0, 4) + "*".repeat(digits.length - 7) + digits.slice(-3);
}

/** Masks everything in a text that may be a phone number. */
export function maskPhones(text: string): string {
  return replacePhones(text, maskDigits);
}

/** A text in quotes, as a message shows it: an idempotency key may be the customer's phone number. */
export function quoteMasked(text: string): string {
  return JSON.stringify(maskPhones(text));
}
