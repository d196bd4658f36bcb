import type { Cause, Fields } from "./types.ts";

/** Thrown to reject a request. */
export class Rejected extends Error {
  override readonly cause: Cause;
  readonly field: string;
  constructor(cause: Cause, message: string, field = "") {
    super(message);
    this.cause = cause;
    this.field = field;
  }
}

export const invalid = (field: string, message: string): Rejected =>
  new Rejected("invalidField", `${field}: ${message}`, field);

/** Rejects a body that has other fields than these. */
export function checkNames(body: Fields, names: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid(unknown, "is not a field");
}

export function checkedAmount(amount: unknown): number {
  const isAmount = typeof amount === "number" && /^\d+(\.\d\d?)?$/.test(String(amount));
  if (isAmount && amount >= 1 && amount <= 250_000) return Math.round(amount * 100);
  throw invalid("amount", "expected an amount from 1 to 250000");
}

/** The international digits of a phone; `undefined` for what is not one. */
export function mobile(phone: unknown): string | undefined {
  if (typeof phone !== "string") return undefined;
  const [, national] = /^(?:\+?254|0)([17]\d{8})$/.exec(phone.replace(/[ -]/g, "")) ?? [];
  return national && `254${national}`;
}
