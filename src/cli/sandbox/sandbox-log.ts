import { describeConnectionError } from "../../internal/describe-error.ts";
import { formatTimestamp } from "../../sandbox/clock.ts";
import type { Activity, Delivery, DeliveryAttempt, SandboxPayment } from "../../sandbox/index.ts";
import type { LoggedExchange } from "../../sandbox/observe/exchange-log.ts";
import { paint, printable } from "../terminal/output.ts";

const COLOURS = { pending: "yellow", completed: "green", failed: "red" } as const;

function paymentLine(payment: SandboxPayment): string {
  const { reference, status, currency, amount, phone, failure_reason } = payment;
  const detail = {
    pending: `${currency} ${amount} from ${phone}: the phone is ringing`,
    completed: `${currency} ${amount} from ${phone}`,
    failed: `${failure_reason}`,
  }[status];
  return `payment  ${reference}  ${paint(COLOURS[status], status.padEnd(9))}  ${printable(detail)}`;
}

/** `fetch failed: ECONNREFUSED` becomes "nothing is listening there (ECONNREFUSED)". */
function describeAttemptError(error: string): string {
  const code = /\b[A-Z][A-Z_]{4,}$/.exec(error)?.[0];
  return code === undefined ? error : describeConnectionError(code);
}

/** How an attempt to deliver ended. */
export function responseOf(attempt: DeliveryAttempt | undefined): string {
  if (attempt?.status !== undefined) return `${attempt.status} in ${attempt.latencyMs} ms`;
  return attempt?.error === undefined ? "in flight" : describeAttemptError(attempt.error);
}

export type Details = readonly (readonly [name: string, value: unknown])[];

/** What a person wants to know of a delivery. */
export const deliveryDetails = (delivery: Delivery): Details => [
  ["delivery", delivery.id],
  ["event", delivery.event],
  ["to", delivery.url],
  ["response", responseOf(delivery.attempts.at(-1))],
  ["state", delivery.state],
];

/**
 * A delivery in one line.
 *
 * @param now - The time of one that was not attempted yet.
 */
export function deliveryLine(delivery: Delivery, now = Date.now()): string {
  const { id, event, url, state, attempts } = delivery;
  const last = attempts.at(-1);
  const response = paint(last?.status === 200 ? "green" : "red", printable(responseOf(last)));
  const next = state === "pending" ? "; will be retried" : "";
  return `${logTime(attemptedAt(delivery) || now)}  webhook  ${id}  ${event} to ${printable(url)}  ${response}${next}`;
}

/** A moment by the sandbox's clock, with its zone. */
const logTime = (ms: number): string => paint("dim", formatTimestamp(ms).slice(11));

/** A request to a running sandbox, in one line. */
export function requestLine({ at, line, status, fault }: LoggedExchange): string {
  const colour = status !== undefined && status < 400 ? "green" : "red";
  const result = status === undefined ? "no response" : String(status);
  const reason = fault === undefined ? "" : `  fault: ${printable(fault)}`;
  return `${logTime(at)}  request  ${paint(colour, result)}  ${printable(line)}${reason}`;
}

/** When the sandbox last tried to deliver. */
export const attemptedAt = ({ attempts }: Delivery): number =>
  Date.parse(attempts.at(-1)?.at ?? "");

/**
 * One line for each payment and delivery that changed.
 *
 * @param now - The sandbox's time, in milliseconds.
 */
export function logLines({ payments, deliveries }: Activity, now: number): string[] {
  return [
    ...payments.map((one) => `${logTime(now)}  ${paymentLine(one)}`),
    ...deliveries.map((one) => deliveryLine(one, now)),
  ];
}
