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
