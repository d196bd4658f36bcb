import { InvalidParamsError } from "../errors/configuration.ts";
import { checkText, describeValue, ownOptions } from "../internal/check-options.ts";
import { phoneDigits } from "../internal/phone-digits.ts";

const KENYA = "254";

/** A mobile number without its calling code. Of other countries only the length is known. */
const KENYAN_MOBILE = /^[17]\d{8}$/;
const ANY_NATIONAL = /^[1-9]\d{6,10}$/;
const ANY_INTERNATIONAL = /^[1-9]\d{9,14}$/;

/**
 * A phone number in international digits, however it is written; `undefined` for a text that is not
 * the number of a mobile phone.
 *
 * @param country - The calling code of numbers without one.
 */
export function internationalDigits(number: string, country: string = KENYA): string | undefined {
  const written = number.trim();
  const text = phoneDigits(written.replaceAll(".", ""));
  const isInternational = /^[\s([]*\+/.test(written) || text.startsWith("00");
  const digits = text.replace(/^00/, "");
  const national = nationalDigits(digits, country, isInternational);
  if (national !== undefined) return country + national;
  const isForeign = isInternational && !digits.startsWith(country);
  return isForeign && ANY_INTERNATIONAL.test(digits) ? digits : undefined;
}

/** What follows the calling code of the country, if the digits are a number of it. */
function nationalDigits(
  digits: string,
  country: string,
  isInternational: boolean,
): string | undefined {
  const pattern = country === KENYA ? KENYAN_MOBILE : ANY_NATIONAL;
  const candidates = [
    digits.startsWith(country) ? digits.slice(country.length) : undefined,
    isInternational ? undefined : digits,
  ];
  // The zero that numbers begin with inside a country: also in `+254 (0) 712 345 678`.
  return candidates
    .map((one) => one?.replace(/^0/, ""))
    .find((one) => one !== undefined && pattern.test(one));
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
  const { country = KENYA } = ownOptions(options, ["country"], "normalizePhone");
  checkText(
    "country",
    country,
    /^[1-9]\d{0,2}$/,
    "a calling code without a plus sign, such as 254",
  );
  const digits = typeof phone === "string" ? internationalDigits(phone, country) : undefined;
  if (digits !== undefined) return digits;
  const expected = "expected the number of a mobile phone, such as 0712345678 or +254712345678";
  const message = `${expected}, got ${describePhone(phone)}`;
  throw new InvalidParamsError(`normalizePhone: \`phone\` is invalid: ${message}.`, [
    { path: ["phone"], message },
  ]);
}

/** A wrong number may be that of a customer nevertheless: only its length and its beginning are shown. */
function describePhone(phone: unknown): string {
  if (typeof phone === "number") return "a number";
  if (typeof phone !== "string" || phone === "") return describeValue(phone);
  const digits = phone.replace(/\D/g, "");
  const what = phoneDigits(phone) === digits ? "digits" : "digits among other characters";
  return digits.length < 5
    ? `${digits.length} ${what}`
    : `${digits.length} ${what}, which begin with ${digits.slice(0, 2)}`;
}

/** `254712345678` as `0712 *** 678`: enough for the customer to recognise it. */
export const maskedPhone = (digits: string): string =>
  `${digits.startsWith(KENYA) ? `0${digits.slice(3, 6)}` : digits.slice(0, 5)} *** ${digits.slice(-3)}`;
