import { InvalidParamsError } from "../errors/configuration.ts";
import {
  checkOptions,
  checkText,
  describeValue,
  type OptionRows,
} from "../internal/check-options.ts";
import { phoneDigits, readPhone } from "../internal/phone-digits.ts";
import { countryByPrefix, countryWith } from "./countries.ts";

/** The calling code of numbers without one, if nothing says another one. */
export const KENYA = "254";

const KENYAN_MOBILE = /^[17]\d{8}$/;
/** A number without its calling code, of a country whose numbers are not known. */
const ANY_NATIONAL = /^[1-9]\d{6,10}$/;
const ANY_INTERNATIONAL = /^[1-9]\d{9,14}$/;

/**
 * A phone number in international digits, however it is written; `undefined` for a text that is not
 * the number of a mobile phone.
 *
 * @param country - The calling code of numbers without one. If it is `undefined`, only numbers with their calling code
 * are read.
 */
export function internationalDigits(
  number: string,
  country: string | undefined,
): string | undefined {
  const { digits, isInternational } = readPhone(number);
  if (country === undefined) return wholeNumber(digits, isInternational);
  const national = nationalDigits(digits, country, isInternational);
  if (national !== undefined) return country + national;
  const isForeign = isInternational && !digits.startsWith(country);
  return isForeign ? wholeNumber(digits, true) : undefined;
}

/** Digits that are a number with its calling code. */
function wholeNumber(digits: string, isInternational: boolean): string | undefined {
  const { code } = countryByPrefix(digits) ?? {};
  const isNumber =
    code === undefined
      ? isInternational && ANY_INTERNATIONAL.test(digits)
      : isNational(digits.slice(code.length), code);
  return isNumber ? digits : undefined;
}

/** Whether digits are those of a mobile phone, without the calling code. */
function isNational(digits: string, code: string): boolean {
  const country = countryWith(code);
  if (code === KENYA) return KENYAN_MOBILE.test(digits);
  if (country === undefined) return ANY_NATIONAL.test(digits);
  return /^\d+$/.test(digits) && digits.length === country.digits;
}

/** What follows the calling code of the country, if the digits are a number of it. */
function nationalDigits(
  digits: string,
  code: string,
  isInternational: boolean,
): string | undefined {
  const candidates = [
    digits.startsWith(code) ? digits.slice(code.length) : undefined,
    isInternational ? undefined : digits,
  ];
  // The zero that numbers begin with inside a country: also in `+254 0712 345 678`.
  const isZeroLeftOut = countryWith(code)?.keepsZero !== true;
  return candidates
    .map((one) => (isZeroLeftOut ? one?.replace(/^0/, "") : one))
    .find((one) => one !== undefined && isNational(one, code));
}

/** How `normalizePhone` reads a phone number. */
export interface NormalizePhoneOptions {
  /**
   * The calling code of numbers that are written without one. Set it if your customers are in
   * another country: `"255"`, `"256"`. Of numbers outside Kenya, only the count of digits is checked.
   *
   * @default "254", Kenya
   */
  country?: string | undefined;
}

const CALLING_CODE = "a calling code without a plus sign, such as 254";

const OPTIONS = {
  country: (code = KENYA) => checkText("country", code, /^[1-9]\d{0,2}$/, CALLING_CODE),
} satisfies OptionRows<NormalizePhoneOptions>;

/**
 * The international digits of a phone number, however a customer writes it: `0712 345 678`,
 * `0110-345678`, `+254 712 345 678` and `254712345678` give `254…`. Use it to store and to compare phone
 * numbers in one form, and to show a customer a mistake before you make a call. The calls themselves take any of
 * these forms.
 *
 * @throws {InvalidParamsError} for anything but the number of a mobile phone. The message does not show the number.
 *
 * @example
 * ```ts
 * normalizePhone("0712 345 678"); // "254712345678"
 * normalizePhone("0772 345 678", { country: "256" }); // "256772345678"
 * ```
 */
export function normalizePhone(phone: string, options: NormalizePhoneOptions = {}): string {
  const { country } = checkOptions(options, OPTIONS, "normalizePhone");
  const digits = typeof phone === "string" ? internationalDigits(phone, country) : undefined;
  if (digits !== undefined) return digits;
  const message = `${phoneExpected(country)}, got ${phoneGiven(phone)}`;
  throw new InvalidParamsError(`normalizePhone: \`phone\` is invalid: ${message}.`, [
    { path: ["phone"], message },
  ]);
}

/** A number as an example, as it is written in a country, or as it is written with its code. */
export function exampleNumber(country: string | undefined): string {
  const { example } = countryWith(country) ?? {};
  return example ?? (country === undefined ? "+226 70 12 34 56" : `+${country} ...`);
}

/** What a message says of a number that cannot be used. */
export function phoneExpected(country: string | undefined): string {
  const example = exampleNumber(country).replaceAll(" ", "");
  const { code, trunk } = countryWith(country) ?? {};
  const also = code === undefined ? "" : ` or +${code}${example.slice(trunk?.length)}`;
  return `expected the number of a mobile phone, such as ${example}${also}`;
}

/** A wrong number may be that of a customer nevertheless: only its length and its beginning are shown. */
export function phoneGiven(phone: unknown): string {
  if (typeof phone === "number") return "a number";
  if (typeof phone !== "string" || phone === "") return describeValue(phone);
  const written = phoneDigits(phone);
  const digits = written.replace(/\D/g, "");
  const what = written === digits ? "digits" : "digits among other characters";
  return digits.length < 5
    ? `${digits.length} ${what}`
    : `${digits.length} ${what}, which begin with ${digits.slice(0, 2)}`;
}

/** How many digits of a number are shown at its end, and how many are hidden before them. */
const SHOWN = 3;
const HIDDEN = 3;

/**
 * `254712345678` as `0712 *** 678`: enough for the customer to recognise it.
 *
 * @param country - The calling code of the country whose numbers are shown as they are written there.
 */
export function maskedPhone(digits: string, country: string | undefined): string {
  const home = digits.startsWith(country ?? "+") ? countryWith(country) : undefined;
  const end = digits.slice(-SHOWN);
  if (home === undefined) return `${digits.slice(0, 5)} *** ${end}`;
  const written = home.trunk + digits.slice(home.code.length);
  return `${written.slice(0, -SHOWN - HIDDEN)} *** ${end}`;
}
