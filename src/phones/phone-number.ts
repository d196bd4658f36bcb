// Phone numbers are read by libphonenumber-js. Nothing that a page loads imports this folder: see docs/decisions/0013.
import {
  type MetadataJson,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/core";
import { type CountryCode, countryByPrefix, countryWith } from "../contract/countries.ts";
import { InvalidParamsError } from "../errors/configuration.ts";
import {
  checkOptions,
  checkText,
  describeValue,
  type OptionRows,
  optional,
} from "../internal/check-options.ts";
import { phoneDigits, readPhone } from "../internal/phone-digits.ts";

/** Of `scripts/phone-metadata.ts`, as JSON. */
declare const PHONE_METADATA: string;

interface Metadata {
  /** How long the numbers of a country are, and how they begin. */
  readonly plans: MetadataJson;
  /** Which numbers are phones of what kind. */
  readonly ranges: MetadataJson;
}

let parsed: Metadata | undefined;
function metadata(): Metadata {
  parsed ??= JSON.parse(PHONE_METADATA) as Metadata;
  return parsed;
}

/** The country of numbers without their calling code, if nothing says another one. */
export const KENYA = "KE" satisfies CountryCode;

/** The number of a country that is not in our table. */
const ANY_INTERNATIONAL = /^[1-9]\d{9,14}$/;

/**
 * A phone number in international digits, however it is written; `undefined` for a text that is not the number of a
 * mobile phone.
 *
 * @param country - The country of numbers without their calling code. If it is `undefined`, only numbers with their
 * calling code are read.
 */
export function internationalDigits(
  number: string,
  country: CountryCode | undefined,
): string | undefined {
  const { digits, isInternational } = readPhone(number);
  if (!/^\d+$/.test(digits)) return undefined;
  const national = isInternational || country === undefined ? undefined : read(digits, country);
  if (national !== undefined) return national;
  const isForeign = isInternational && countryByPrefix(digits) === undefined;
  return isForeign && ANY_INTERNATIONAL.test(digits) ? digits : read(`+${digits}`);
}

/** The digits of a number, if it is one that a mobile phone can have. */
function read(number: string, country?: CountryCode): string | undefined {
  const { plans, ranges } = metadata();
  const options = country === undefined ? {} : { defaultCountry: country };
  const found = parsePhoneNumberFromString(number, { ...options, extract: false }, plans);
  return found !== undefined && isMobile(found, ranges) ? found.number.slice(1) : undefined;
}

/**
 * Whether a mobile phone can have a number. Networks get new ranges before the library knows them: a number of no known
 * kind is taken, if the plan of the country allows it and it is as long as those of mobile phones.
 */
function isMobile(found: PhoneNumber, ranges: MetadataJson): boolean {
  if (!found.isValid()) return false;
  const type = parsePhoneNumberFromString(found.number, ranges)?.getType();
  if (type !== undefined) return type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE";
  return found.nationalNumber.length === exampleOf(found.country)?.nationalNumber.length;
}

/** The example of a country, as the library reads it. */
function exampleOf(country: string | undefined): PhoneNumber | undefined {
  const { iso, example } = countryWith(country) ?? {};
  if (iso === undefined || example === undefined) return undefined;
  return parsePhoneNumberFromString(example, iso, metadata().plans);
}

/** @throws {ConfigurationError} for anything but the code of a country that we know. */
export function checkCountry(option: string, country: unknown): CountryCode {
  const isKnown = { test: (text: string) => countryWith(text) !== undefined };
  const expected = 'the code of a country with mobile money (ISO 3166-1), such as "KE" or "UG"';
  return checkText(option, country, isKnown, expected) as CountryCode;
}

/** How `normalizePhone` reads a phone number. */
export interface NormalizePhoneOptions {
  /**
   * The country of numbers that are written without their calling code. Set it if your customers are in another
   * country: `"TZ"`, `"UG"`.
   *
   * @default "KE"
   */
  country?: CountryCode | undefined;
}

const OPTIONS = {
  country: (country) => optional(country, (given) => checkCountry("country", given)) ?? KENYA,
} satisfies OptionRows<NormalizePhoneOptions>;

/**
 * The international digits of a phone number, however a customer writes it: `0712 345 678`, `0110-345678`,
 * `+254 712 345 678` and `254712345678` give `254…`. Use it on your server, to store and to compare phone numbers in
 * one form. The calls of a `Gateway` and of a checkout take any of these forms.
 *
 * @throws {InvalidParamsError} for anything but the number of a mobile phone. The message does not show the number.
 *
 * @example
 * ```ts
 * normalizePhone("0712 345 678"); // "254712345678"
 * normalizePhone("0772 345 678", { country: "UG" }); // "256772345678"
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

/** The example of a country, with its code and a plus sign. */
export const wholeExample = (country: CountryCode | undefined): string =>
  exampleOf(country)?.number ?? "";

/** What a message says of a number that cannot be used. */
export function phoneExpected(country: CountryCode): string {
  const example = countryWith(country)?.example.replaceAll(" ", "");
  return `expected the number of a mobile phone, such as ${example} or ${wholeExample(country)}`;
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
 * @param country - The country whose numbers are shown as they are written there.
 */
export function maskedPhone(digits: string, country: CountryCode | undefined): string {
  const begin = nationalDigits(digits, country)?.slice(0, -SHOWN - HIDDEN) ?? digits.slice(0, 5);
  return `${begin} *** ${digits.slice(-SHOWN)}`;
}

/** `254712345678` as `0712 345 678`; a number of another country than `country` as `+256772345678`. */
export function wholePhone(digits: string, country: CountryCode | undefined): string {
  const begin = nationalDigits(digits, country)?.slice(0, -SHOWN - HIDDEN);
  if (begin === undefined) return `+${digits}`;
  return `${begin} ${digits.slice(-SHOWN - HIDDEN, -SHOWN)} ${digits.slice(-SHOWN)}`;
}

/** The digits of a number as they are written in its country, if that is `country`. */
function nationalDigits(digits: string, country: CountryCode | undefined): string | undefined {
  const home = countryByPrefix(digits);
  if (home === undefined || home.iso !== country) return undefined;
  // The zero that numbers begin with inside a country, if they do not have it abroad, too.
  const { nationalNumber = "" } = exampleOf(country) ?? {};
  const zero = home.example.startsWith("0") && !nationalNumber.startsWith("0") ? "0" : "";
  return zero + digits.slice(home.code.length);
}
