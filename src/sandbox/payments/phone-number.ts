import { phoneDigits } from "../../internal/phone-digits.ts";

/** A Kenyan mobile number in international digits; `undefined` where it is none. */
export function kenyanMobile(number: string): string | undefined {
  const [, national] = /^(?:254|0)?([17]\d{8})$/.exec(phoneDigits(number)) ?? [];
  return national === undefined ? undefined : `254${national}`;
}

// Only a hint: numbers are portable between networks. The first prefix that fits decides.
const NETWORKS: readonly (readonly [prefix: RegExp, network: string])[] = [
  [/^2547(?:3\d|5[0-6]|8[5-9])/, "Airtel"],
  [/^25410[0-2]/, "Airtel"],
  [/^25477/, "Telkom"],
  [/^254(?:7|11)/, "Safaricom"],
];

/** The network that a number was first given out by, as far as its prefix tells. */
export function networkOf(phone: string): string | undefined {
  return NETWORKS.find(([prefix]) => prefix.test(phone))?.[1];
}
