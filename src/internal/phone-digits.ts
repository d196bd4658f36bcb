// How people write a phone number: digits, with spaces, dots, dashes (\p{Pd}, and the minus sign), brackets and
// invisible characters (\p{Cf}) between them, and a plus sign in front; with the digits of their own script, or as wide
// as those of East Asia. What is masked in a text is more than that.

const BETWEEN = "\\s.\\p{Pd}\\p{Cf}\u2212\uff08\uff09\uff0e";
/** Digits of Arabic, of Persian and Urdu, and wide ones. The last four bits of each are its value. */
const OTHER_DIGITS = "\u0660-\u0669\u06f0-\u06f9\uff10-\uff19";
const anyOf = (list: string) => new RegExp(`[${list}]`, "gu");

/** What a message says of a phone number that cannot be used. */
export const PHONE_EXPECTED =
  'expected a string with the 9 to 15 digits of a phone number, such as "0712345678" or "+254 712 345 678"';

// Calls that are marked as pure are left out of a bundle that masks no phone number.
const BLANKS = /* @__PURE__ */ anyOf(BETWEEN);
const OTHERS = /* @__PURE__ */ anyOf(OTHER_DIGITS);
const DIGITS = /^\d{9,15}$/;

/** The zero that a number has inside its country, in brackets after the calling code: `+254 (0) 712 345 678`. */
const ZERO_IN_BRACKETS =
  /^([([]?(?:[+\uff0b]|00)?[1-9]\d{0,2}[)\]]?)[([]0[)\]](?=(?:[()[\]]*\d){8})/;
/**
 * The same without brackets, after a calling code of Africa. In the countries that are left out, the zero may be a
 * part of the number.
 */
const ZERO_AFTER_CODE = /^(2(?:[07]|(?!2[569]|4[12])[1-69]\d))0(?=[1-9]\d{6,9}$)/;

const withPlainDigits = (text: string): string =>
  text.replace(OTHERS, (digit) => String(digit.charCodeAt(0) & 15));

/** A phone number as it was written, without what people put between its digits. */
export interface WrittenPhone {
  /** Its digits; other characters of a text that is no phone number are among them. */
  readonly digits: string;
  /** Whether it begins with a plus sign or with 00, and so with the code of a country. */
  readonly isInternational: boolean;
}

/** Reads a phone number as people write it: `+254 (0) 712-345678` has the digits `254712345678`. */
export function readPhone(phone: string): WrittenPhone {
  const bare = withPlainDigits(phone)
    .replace(BLANKS, "")
    .replace(ZERO_IN_BRACKETS, "$1")
    .replace(/[()[\]]/g, "");
  const number = bare.replace(/^([+\uff0b]|00(?=[1-9]\d{9}))/, "");
  return {
    digits: number.replace(ZERO_AFTER_CODE, "$1"),
    isInternational: number.length < bare.length,
  };
}

/** The digits of a phone number as people write it: `+254 712-345678` becomes `254712345678`. */
export const phoneDigits = (phone: string): string => readPhone(phone).digits;

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
  Array.from(withPlainDigits(text).replace(/%3(?=\d)|%[^3].|\P{N}/gu, ""));

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
