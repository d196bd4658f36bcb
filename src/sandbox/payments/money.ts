// Money is counted in cents, as whole numbers: no float arithmetic.

/** An amount in cents, written with two decimals. */
export function formatAmount(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** The cents of an amount above or at 0 with at most two decimals; `undefined` for anything else. */
export function parseAmount(amount: unknown): number | undefined {
  const text = typeof amount === "number" ? String(amount) : amount;
  const [, whole, decimals = ""] =
    (typeof text === "string" && /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text)) || [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
}
