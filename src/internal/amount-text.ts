/** An amount that is longer is none: a service may send a text of any length. */
const MAX_LENGTH = 20;

/** Whether a text may be an amount, by its length. */
export const isAmountLong = (text: string): boolean => text.length > MAX_LENGTH;

/** A text of a service in the place of an amount or a currency, as it is kept and shown. */
export const shortened = (text: string): string =>
  isAmountLong(text) ? `${text.slice(0, MAX_LENGTH)}…` : text;

const WHOLE = new Intl.NumberFormat("en");

/** `1,500.00` for `1500.00`, exactly. What is no amount stays, shortened. */
export function groupedAmount(amount: string): string {
  const text = shortened(amount);
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return whole === undefined ? text : `${WHOLE.format(BigInt(whole))}.${decimals.padEnd(2, "0")}`;
}
