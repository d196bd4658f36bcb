// Amounts of money as text with two decimals. Whole cents, so that nothing is rounded.
import { isAmountLong } from "../../internal/amount-text.ts";

/** An amount with two decimals; `undefined` for what is none. */
export function amountText(amount: unknown): string | undefined {
  if (typeof amount !== "string" && typeof amount !== "number") return undefined;
  const text = String(amount);
  if (isAmountLong(text)) return undefined;
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{0,2})0*)?$/.exec(text) ?? [];
  return whole && `${whole.replace(/^0+(?=\d)/, "")}.${decimals.padEnd(2, "0")}`;
}

/** Whether an amount can be a part of a sum: what a service says may be no number, or of any length. */
export const isSummand = (amount: string): boolean => /^\d{1,17}\.\d\d$/.test(amount);

export const centsOf = (amount: string): bigint => BigInt(amount.replace(".", ""));

function amountOfCents(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const total = (amounts: readonly string[]): bigint =>
  amounts.reduce((sum, one) => sum + centsOf(one), 0n);

/** The sum of amounts with two decimals. */
export const sumOf = (amounts: readonly string[]): string => amountOfCents(total(amounts));

/** What is left of some amounts without others, at least nothing. */
export function leftAfter(amounts: readonly string[], without: readonly string[]): string {
  const left = total(amounts) - total(without);
  return amountOfCents(left < 0n ? 0n : left);
}

/** How much more one amount is than another one; `"0.00"` if it is not. */
export const moreThan = (amount: string, other: string): string => leftAfter([amount], [other]);

export const least = (one: string, other: string): string =>
  centsOf(one) < centsOf(other) ? one : other;

export const isNothing = (amount: string): boolean => centsOf(amount) === 0n;
