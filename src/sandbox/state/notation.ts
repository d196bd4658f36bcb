import { type CountryCode, countryByPrefix } from "../../contract/countries.ts";
import { internationalDigits, phoneExpected, wholeExample } from "../../phones/phone-number.ts";

// Money is counted in cents, as whole numbers: no float arithmetic.

/** An amount in cents, written with two decimals. */
export function formatAmount(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** The cents of an amount of 0 or more with at most two decimals; `undefined` for any other value. */
export function parseAmount(amount: unknown): number | undefined {
  if (typeof amount !== "number" && typeof amount !== "string") return undefined;
  const [, whole, decimals = ""] = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(String(amount)) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
}

/**
 * The number of a mobile phone in international digits; `undefined` for any other text.
 *
 * @param country - The country of numbers without their code: that of the sandbox.
 */
export function mobileNumber(number: string, country: CountryCode): string | undefined {
  const digits = internationalDigits(number, country);
  return countryByPrefix(digits ?? "") && digits;
}

/** What a message says of a text that is no number of a mobile phone. */
export const mobileExpected = (country: CountryCode): string =>
  `${phoneExpected(country)}, or one of another country with its code, such as ${wholeExample(country === "UG" ? "KE" : "UG")}`;

// Only a hint: a customer may keep the number when changing networks. The first match decides.
const NETWORKS: readonly (readonly [prefix: RegExp, network: string])[] = [
  [/^2547(?:3\d|5[0-6]|8[5-9])/, "Airtel"],
  [/^25410[0-2]/, "Airtel"],
  [/^25477/, "Telkom"],
  [/^254(?:7|11)/, "Safaricom"],
];

/** The network that first issued a number, by its prefix. */
export function networkOf(phone: string): string | undefined {
  return NETWORKS.find(([prefix]) => prefix.test(phone))?.[1];
}

/** `0712 345 678`, as its owner writes it, for a number in international digits; of another country, with its code. */
export const localFormat = (digits: string): string =>
  digits.startsWith("254")
    ? digits.replace(/^254(\d{3})(\d{3})(\d{3})$/, "0$1 $2 $3")
    : `+${digits}`;
