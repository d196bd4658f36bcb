import { describeValue } from "../../internal/check-options.ts";
import { amountText } from "../rules/amounts.ts";

/** How many decimals a currency has: 2 for KES, none for UGX, RWF, XOF and XAF (ISO 4217). */
const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions()
    .maximumFractionDigits ?? 2;

/** The unit of a currency: "Kenyan shillings". */
const unitOf = (currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "name" })
    .formatToParts(2)
    .find(({ type }) => type === "currency")?.value ?? currency;

const withoutDecimals = (amount: string): string => amount.replace(/\.00$/, "");

/** The amount of a text or a number that can be asked for exactly. */
function usable(given: unknown, decimals: number): string | undefined {
  const amount = amountText(given);
  if (amount === undefined || Number(amount).toFixed(2) !== amount) return undefined;
  const isPlain = Number(amount) > 0 && !/^0\d/.test(String(given));
  return isPlain && (decimals > 0 || amount.endsWith(".00")) ? amount : undefined;
}

/** What to write in the place of an amount that cannot be used. Not everything has an answer. */
function correction(given: unknown, decimals: number): string {
  if (typeof given === "number" && Number.isFinite(given)) {
    const rounded = Number(given.toFixed(decimals));
    const isNoise = rounded !== given && Math.abs(rounded - given) < 1e-6;
    return isNoise && rounded > 0
      ? `. Floating-point arithmetic has added it: write ${rounded}, or count in whole numbers`
      : "";
  }
  if (Array.isArray(given)) return ". Write the amount without brackets";
  if (typeof given !== "string" || !/^[\d., ]{2,20}$/.test(given)) return "";
  const plain = usable(given.replace(/,(?=\d{3}\b)/g, "").replaceAll(" ", ""), decimals);
  return plain === undefined ? "" : `. Write ${withoutDecimals(plain)}`;
}

/** What was given. A text that begins with 0, or is no number, may be something else, such as a phone. */
const shown = (given: unknown): string =>
  typeof given === "string" && /^[1-9][\d., ]{0,19}$/.test(given)
    ? JSON.stringify(given)
    : describeValue(given);

/** An amount as a merchant writes it; the text says what is wrong with it. */
export function readAmount(
  given: unknown,
  currency: string,
): { readonly amount: string } | { readonly wrong: string } {
  const decimals = decimalsOf(currency);
  const amount = usable(given, decimals);
  if (amount !== undefined) return { amount };
  const rule =
    decimals === 0
      ? `${unitOf(currency)} above 0 without decimals, which ${currency} does not have, such as 1500`
      : `${unitOf(currency)}, not cents: a number above 0 with at most two decimals, such as 1500 or 99.50`;
  return { wrong: `expected ${rule}; got ${shown(given)}${correction(given, decimals)}` };
}

/** A hint if one of two amounts of an order seems to be in cents. */
export function centsHint(amount: string, other: string, currency: string): string {
  const [low = 0, high = 0] = [Number(amount), Number(other)].sort((one, two) => one - two);
  return low * 100 === high
    ? ` One amount is 100 times the other: amounts are in ${unitOf(currency)}, not in cents.`
    : "";
}
