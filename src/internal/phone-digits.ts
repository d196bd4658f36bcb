// How people write a phone number: digits, with spaces, dashes (\p{Pd}) and brackets between them,
// and a plus sign in front. Checking a number and masking it use the same list.

const SEPARATOR = "\\s\\p{Pd}()[\\]";
const separators = () => new RegExp(`[${SEPARATOR}]`, "gu");

/** What a message says of a phone number that cannot be used. */
export const PHONE_EXPECTED =
  'expected a string with the 9 to 15 digits of a phone number, such as "0712345678" or "+254 712 345 678"';

// Calls that are marked as pure are left out of a bundle that masks no phone number.
const SEPARATORS = /* @__PURE__ */ separators();
const DIGITS = /^\d{9,15}$/;

/** Removes separators and a leading plus sign: `+254 712-345678` becomes `254712345678`. */
export function phoneDigits(phone: string): string {
  return phone.replace(SEPARATORS, "").replace(/^\+/, "");
}

/** Whether a text has nothing but the digits of a phone number: 9 to 15. */
export function isPhoneDigits(text: string): boolean {
  return DIGITS.test(text);
}

// What is masked is more than what is accepted: dots, slashes, plus signs and invisible characters
// (\p{Cf}) between the digits too, and any number of digits from nine up. In a URL, the digits and the
// separators may be percent-encoded; there, every character outside ASCII counts as a separator.
const ENCODED_SEPARATOR = "%(?:0[9A-D]|2[089BDEF]|5[BD]|[C-F][\\dA-F](?:%[89AB][\\dA-F])+)";
const DIGIT = "(?:%3)?\\d";
const phoneInText = () =>
  new RegExp(
    // The digits of an escape such as %20 begin no phone number.
    String.raw`%(?!3\d)[\dA-F]{2}|(\+?[([]?${DIGIT}(?:(?:[${SEPARATOR}.+/\p{Cf}]|${ENCODED_SEPARATOR})*${DIGIT}){8,})`,
    "giu",
  );
const PHONE_IN_TEXT = /* @__PURE__ */ phoneInText();

/** Masks one phone number: its first four and last three digits stay, `2547*****678`. */
function maskDigits(digits: string): string {
  return digits.slice(0, 4) + "*".repeat(digits.length - 7) + digits.slice(-3);
}

/** Masks everything in a text that may be a phone number. */
export function maskPhones(text: string): string {
  return text.replace(PHONE_IN_TEXT, (found: string, phone?: string) =>
    phone === undefined ? found : maskDigits(phone.replace(/%3(?=\d)|%[^3].|\D/g, "")),
  );
}

/** A text in quotes, as a message shows it: an idempotency key may be the customer's phone number. */
export function quoteMasked(text: string): string {
  return JSON.stringify(maskPhones(text));
}
