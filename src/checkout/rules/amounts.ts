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

const centsOf = (amount: string): bigint => BigInt(amount.replace(".", ""));

function textOf(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export const sumOf = (amounts: readonly string[]): string =>
  textOf(amounts.reduce((sum, one) => sum + centsOf(one), 0n));

/** How much more one amount is than another one; `"0.00"` if it is not. */
export function moreThan(amount: string, other: string): string {
  const cents = centsOf(amount) - centsOf(other);
  return textOf(cents > 0n ? cents : 0n);
}

export const isNothing = (amount: string): boolean => centsOf(amount) === 0n;
