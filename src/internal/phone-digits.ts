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

// What is masked is more than what is accepted: digits of any script, from nine digits up, with marks, symbols
// and invisible characters between them. Letters, and the signs that JSON and addresses are made of, end a
// number. Two stars do so too: a mask has them. In a URL, the digits and the separators may be percent-encoded;
// there, every character outside ASCII counts as a separator.
const phoneInText = () => {
  const encoded = "%(?:0[9A-D]|2[089BDEF]|5[BD]|[C-F][\\dA-F](?:%[89AB][\\dA-F])+)";
  const digit = String.raw`(?:%3)?\p{N}`;
  // The letters in it are invisible.
  const between = String.raw`[\0-\x20\x7f()[\].,:;+/_|~'\\-]|[^\p{L}\p{N}\0-\x7f]|[\u115f\u1160\u3164\uffa0]|\*(?!\*)|${encoded}`;
  return new RegExp(
    // The digits of an escape such as %20 begin no phone number.
    String.raw`%(?!3\d)[\dA-F]{2}|(\+?[([]?${digit}(?:(?:${between})*${digit}){8,})`,
    "giu",
  );
};
const PHONE_IN_TEXT = /* @__PURE__ */ phoneInText();

const MIN_DIGITS = 9;
/** Amounts with up to eight digits before the point, dates, times and the shorter addresses of machines. */
const NO_PHONE =
  /^[([]?(?:[1-9]\d{0,7}\.\d\d?|(?!\d{3},\d{3},)[1-9]\d{0,2}(?:,\d{3}){1,2}(?:\.\d\d?)?|(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:19|20)\d\d|[0-2]?\d[:.][0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[+-]\d\d:?\d\d)?|(?:\d{1,3}\.){3}\d{1,3}:\d+)$/;

/** Masks one phone number: its first four and last three digits stay, `2547*****678`. */
function maskDigits(digits: readonly string[]): string {
  return digits.slice(0, 4).join("") + "*".repeat(digits.length - 7) + digits.slice(-3).join("");
}

const digitsOf = (text: string): string[] =>
  Array.from(text.replace(/%3(?=\d)|%[^3].|\P{N}/gu, ""));

function maskFound(found: string): string {
  // A list of phone numbers, each of which is masked.
  const parts = found.split(/([,;]\s+)/);
  const isList = parts.every((one, at) => at % 2 === 1 || digitsOf(one).length >= MIN_DIGITS);
  if (parts.length > 1 && isList) {
    return parts.map((one, at) => (at % 2 === 1 ? one : maskFound(one))).join("");
  }
  const isNoPhone = found.split(/[,;]?\s+/).every((one) => NO_PHONE.test(one));
  return isNoPhone ? found : maskDigits(digitsOf(found));
}

/** Masks everything in a text that may be a phone number. Amounts, dates and times stay. */
export function maskPhones(text: string): string {
  return text.replace(PHONE_IN_TEXT, (found: string, phone?: string) =>
    phone === undefined ? found : maskFound(phone),
  );
}

/** A text in quotes, as a message shows it: an idempotency key may be the customer's phone number. */
export function quoteMasked(text: string): string {
  return JSON.stringify(maskPhones(text));
}
