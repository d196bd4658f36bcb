import {
  type CountryCode,
  countryByPrefix,
  countryOfCurrency,
  countryWith,
} from "../../contract/countries.ts";
import { ConfigurationError, InvalidParamsError } from "../../errors/configuration.ts";
import { wrongOption } from "../../internal/check-options.ts";
import {
  checkCountry,
  internationalDigits,
  maskedPhone,
  phoneExpected,
  phoneGiven,
  wholeExample,
} from "../../phones/phone-number.ts";

/** Whose phones a checkout asks. */
export interface AskedCountries {
  /** The country of numbers without their calling code. If it is `undefined`, every number must have its code. */
  readonly country: CountryCode | undefined;
  /** All countries whose phones are asked, `country` among them. */
  readonly countries: readonly CountryCode[];
}

/** @throws {ConfigurationError} if it is not known whose phones are asked. */
export function askedCountries(given: {
  readonly country: unknown;
  readonly countries: unknown;
  readonly currency: string;
}): AskedCountries {
  const country =
    given.country === undefined
      ? countryOfCurrency(given.currency)?.iso
      : checkCountry("country", given.country);
  const countries = checkCountries(given.countries);
  if (country === undefined && countries.length === 0) {
    throw new ConfigurationError(
      `createCheckout needs \`country\`: the currency ${given.currency} does not say whose phones are asked. Set it to the country of your customers, such as "SN": a number without its country code is then read as one of it. If you sell in several countries, list them in \`countries\`: without \`country\`, each number must then have its country code.`,
    );
  }
  const all = country === undefined ? countries : [country, ...countries];
  return { country, countries: [...new Set(all)] };
}

function checkCountries(given: unknown): CountryCode[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw wrongOption("countries", 'a list such as ["KE", "UG"]', given);
  return given.map((one) => checkCountry("countries", one));
}

/** Why a phone number cannot be asked. */
export type PhoneProblem = "invalid" | "other_country";

/** A phone number, as a checkout reads it. */
export interface PhoneReading {
  /** With its country code. */
  readonly digits?: string | undefined;
  readonly problem?: PhoneProblem;
}

/**
 * The international digits of a customer's phone. The phone of a stranger in another country must not ring, so a
 * number is one of the countries of the checkout.
 */
export function readCustomerPhone(
  phone: unknown,
  { country, countries }: AskedCountries,
): PhoneReading {
  const digits = typeof phone === "string" ? internationalDigits(phone, country) : undefined;
  if (digits === undefined) return { problem: "invalid" };
  const of = countryByPrefix(digits)?.iso;
  const isAsked = of !== undefined && countries.includes(of);
  return isAsked ? { digits } : { digits, problem: "other_country" };
}

/** A number as an example: as it is written in the country, or with its code if every number must have it. */
export const exampleFor = ({ country, countries }: AskedCountries): string =>
  countryWith(country)?.example ?? wholeExample(countries[0]);

function namesOf(countries: readonly CountryCode[]): string {
  const names = new Intl.DisplayNames("en", { type: "region" });
  const list = new Intl.ListFormat("en", { type: "disjunction" });
  return list.format(countries.map((one) => names.of(one) ?? one));
}

/** A number of a country that the checkout does not ask, masked. */
function foreignNumber(digits: string): string {
  const { iso } = countryByPrefix(digits) ?? {};
  const masked = `+${maskedPhone(digits, undefined)}`;
  return iso === undefined
    ? `${masked}, a number of another country`
    : `${masked}, a number of another country (${namesOf([iso])}: add "${iso}" to \`countries\` of createCheckout to ask it)`;
}

/** @throws {InvalidParamsError} for a number that the checkout does not ask. The message does not show the number. */
export function customerPhone(call: string, phone: unknown, asked: AskedCountries): string {
  const { digits = "", problem } = readCustomerPhone(phone, asked);
  if (problem === undefined) return digits;
  const expected =
    asked.country === undefined
      ? `expected the number of a mobile phone with its country code, such as ${exampleFor(asked)}`
      : phoneExpected(asked.country);
  const message =
    problem === "other_country"
      ? `expected a phone of ${namesOf(asked.countries)}, got ${foreignNumber(digits)}`
      : `${expected}, got ${phoneGiven(phone)}`;
  throw new InvalidParamsError(`${call}: \`phone\` is invalid: ${message}. Nothing was sent.`, [
    { path: ["phone"], message },
  ]);
}
