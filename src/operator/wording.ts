// How the page writes times, amounts, phones and its own addresses.
import type { CountryCode } from "../contract/countries.ts";
import { type Html, html, type Part } from "../html/html.ts";
import { groupedAmount, shortened } from "../internal/amount-text.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../internal/units.ts";
import { internationalDigits, maskedPhone, wholePhone } from "../phones/phone-number.ts";

const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", 1_000],
] as const;

/** A time in words: `2 hours`. */
function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? UNITS[3];
  const count = Math.max(0, Math.floor(ms / length));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

export const ageText = (ms: number, now: number): string =>
  now - ms < 1_000 ? "just now" : `${durationText(now - ms)} ago`;

/** How times are written: in the zone of the operator, which they name. */
export type WriteTime = (ms: number) => Html;

/** @throws {RangeError} for a zone that does not exist. */
export function timeWriter(timeZone: string | undefined): WriteTime {
  const format = new Intl.DateTimeFormat("en-KE", {
    ...(timeZone !== undefined && { timeZone }),
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  return (ms) => html`<time datetime="${new Date(ms).toISOString()}">${format.format(ms)}</time>`;
}

/** `KES 1,500.00`. An amount that is not a number is shown unchanged, but for its length. */
export const amountText = (amount: unknown = "", currency: unknown = ""): string =>
  `${shortened(String(currency))} ${groupedAmount(String(amount))}`.trim();

/** Long names, such as those of payments: people compare them with a list elsewhere. */
const NAME = /(\(?\b(?=[A-Z\d-]{10})[A-Z][A-Z\d]*(?:-[A-Z\d]+)+)/;

/** A text in which no amount, no phone number and no name of a payment stands in two lines. */
export const unbroken = (text: string): Part =>
  text
    .replaceAll(/\b[A-Z]{3} (?=\d)|\d (?:\*{3}|\d{3}) (?=\d{3}\b)/g, (found) =>
      found.replaceAll(" ", "\u00a0"),
    )
    .split(NAME)
    .map((part, at) => (at % 2 === 0 ? part : html`<span class="name">${part}</span>`));

/**
 * A phone number, masked; `undefined` if there is none. What is no phone number is not shown.
 *
 * @param country - The country of numbers without their code.
 */
export function phoneText(phone: unknown, country: CountryCode | undefined): string | undefined {
  if (typeof phone !== "string" && typeof phone !== "number") return undefined;
  if (/^\S+ \*\*\* \d{3}$/.test(String(phone))) return String(phone);
  const digits = internationalDigits(String(phone), country);
  return digits === undefined ? "***" : maskedPhone(digits, country);
}

/** A phone number as people write it in its country; as it is if it is none. */
export function wholePhoneText(phone: unknown, country: CountryCode | undefined): string {
  const digits = internationalDigits(String(phone), country);
  return digits === undefined ? String(phone) : wholePhone(digits, country);
}

export const plural = (count: number, one: string): string =>
  `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

export const messageOf = (error: unknown): string =>
  maskPhones(String((error as Error)?.message ?? error));

/** An address on this page. */
export const link = (parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).filter((one): one is [string, string] =>
    Boolean(one[1]),
  );
  return `?${new URLSearchParams(given)}`;
};
