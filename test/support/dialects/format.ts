import { createHash } from "node:crypto";
import type { Payment } from "./types.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** A UUID that is always the same for the same text. */
export function uuid(text: string): string {
  const hex = digest(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Capitals and digits that are always the same for the same text. */
export function token(text: string, length: number): string {
  const number = BigInt(`0x${digest(text)}`);
  return number.toString(36).toUpperCase().slice(0, length);
}

/** Digits that are always the same for the same text. */
export function digits(text: string, length: number): string {
  return `9${BigInt(`0x${digest(text)}`).toString(10)}`.slice(0, length);
}

export const decimal = (cents: number): string => (cents / 100).toFixed(2);

/** `2026-03-02T11:00:00+03:00` */
export const nairobi = (at: Date): string =>
  `${new Date(at.getTime() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;

/** `2026-03-02T08:00:00.000Z` */
export const zulu = (at: Date): string => at.toISOString();

/** `2026-03-02T08:00:00.000`: no offset. */
export const local = (at: Date, separator = "T"): string =>
  at
    .toISOString()
    .slice(0, separator === "T" ? 23 : 19)
    .replace("T", separator);

/** `20260302080000` */
export const compact = (at: Date): string => at.toISOString().replace(/\D/g, "").slice(0, 14);

/** `2026-03-02T11:00:00.000000+03:00` */
export const micros = (at: Date): string => nairobi(at).replace("+", ".123456+");

export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const REASONS = {
  cancelled: "The customer cancelled the request",
  expired: "The request expired",
  busy: "Another request is open",
  wrongPin: "The PIN was wrong",
} as const;

/** The documented fields of a payment. */
export function documentedPayment(payment: Payment): Record<string, unknown> {
  return {
    payment_id: payment.n,
    merchant_id: 77,
    reference: payment.reference,
    amount: decimal(payment.cents),
    currency: "KES",
    phone: payment.phone,
    status: payment.state,
    account_reference: payment.label,
    ...(payment.checkout && { checkout_request_id: payment.checkout }),
    ...(payment.receipt && {
      transaction_id: payment.receipt,
      provider_transaction_id: payment.receipt,
      provider_reference: "Accepted",
      payer_name: "J. DOE",
    }),
    ...(payment.why && failureFields(payment)),
  };
}

const failureFields = ({ why = "expired" }: Payment): Record<string, unknown> => ({
  failure_reason: REASONS[why],
  user_message: `${REASONS[why]}.`,
  retry_possible: why !== "busy",
});

/** `data` of `payment.failed`, as the interface documents it. */
export function documentedFailure(payment: Payment): Record<string, unknown> {
  const { payment_id, reference, amount } = documentedPayment(payment);
  return { payment_id, reference, amount, status: "failed", ...failureFields(payment) };
}
