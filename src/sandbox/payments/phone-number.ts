import { phoneDigits } from "../../internal/phone-digits.ts";

/** A Kenyan mobile number in international digits; `undefined` for any other text. */
export function kenyanMobile(number: string): string | undefined {
  const [, national] = /^(?:254|0)?([17]\d{8})$/.exec(phoneDigits(number)) ?? [];
  return national === undefined ? undefined : `254${national}`;
}

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

/** `0712 345 678`, as its owner writes it, for a number in international digits. */
export const localFormat = (digits: string): string =>
  digits.replace(/^254(\d{3})(\d{3})(\d{3})$/, "0$1 $2 $3");
