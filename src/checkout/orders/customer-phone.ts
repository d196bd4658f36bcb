import { internationalDigits, phoneExpected, phoneGiven } from "../../contract/phone-number.ts";
import { InvalidParamsError } from "../../errors/configuration.ts";
import { checkText } from "../../internal/check-options.ts";

/** @throws {ConfigurationError} for anything but a calling code. */
export function checkCountry(country: unknown): string {
  const what = "a calling code without a plus sign, such as 254";
  checkText("country", country, /^[1-9]\d{0,2}$/, what);
  return country as string;
}

/** Why a phone number cannot be asked. */
export type PhoneProblem = "invalid" | "other_country" | "no_country";

/** A phone number, as a checkout reads it. */
export type PhoneReading =
  | { readonly digits: string; readonly problem?: never }
  | { readonly digits?: never; readonly problem: PhoneProblem };

/**
 * The international digits of a customer's phone. The phone of a stranger in another country must not ring, so a
 * number is one of the country of the checkout.
 *
 * @param country - The calling code. If it is `undefined`, every number must have its code.
 */
export function readCustomerPhone(phone: unknown, country: string | undefined): PhoneReading {
  if (typeof phone !== "string") return { problem: "invalid" };
  const digits = internationalDigits(phone, country);
  if (digits?.startsWith(country ?? "")) return { digits };
  if (country === undefined) return { problem: "no_country" };
  const whole = digits ?? internationalDigits(phone, undefined);
  const isForeign = whole !== undefined && !whole.startsWith(country);
  return { problem: isForeign ? "other_country" : "invalid" };
}

/** @throws {InvalidParamsError} for a number that the checkout does not ask. The message does not show the number. */
export function customerPhone(call: string, phone: unknown, country: string | undefined): string {
  const { digits, problem } = readCustomerPhone(phone, country);
  if (digits !== undefined) return digits;
  const given = phoneGiven(phone);
  const message = {
    invalid: `${phoneExpected(country)}, got ${given}`,
    other_country: `${phoneExpected(country)}, got a number of another country. This checkout asks phones of the country with the code ${country}`,
    no_country: `${phoneExpected(undefined)}, got ${given}. Write it with its country code, such as +226..., or set \`country\` of createCheckout`,
  }[problem];
  throw new InvalidParamsError(`${call}: \`phone\` is invalid: ${message}. Nothing was sent.`, [
    { path: ["phone"], message },
  ]);
}
