import type { Activity, Delivery, SandboxPayment } from "../../sandbox/index.ts";
import { describeConnectionError } from "../diagnosis/connection-errors.ts";
import { paint, printable } from "./output.ts";

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
function describeAttemptError(error: string | undefined): string {
  if (error === undefined) return "in flight";
  const code = /\b[A-Z][A-Z_]{4,}$/.exec(error)?.[0];
  return code === undefined ? error : describeConnectionError(code);
}

function deliveryLine({ id, event, url, state, attempts }: Delivery): string {
  const last = attempts.at(-1);
  const response =
    last?.status === undefined
      ? describeAttemptError(last?.error)
      : `${last.status} in ${last.latencyMs} ms`;
  const colour = last?.status === 200 ? "green" : "red";
  const next = state === "pending" ? "; will be retried" : "";
  return `webhook  ${id}  ${event} to ${printable(url)}  ${paint(colour, printable(response))}${next}`;
}

/** One line for each payment and delivery that changed. */
export function logLines({ payments, deliveries }: Activity): string[] {
  const time = paint("dim", new Date().toTimeString().slice(0, 8));
  return [...payments.map(paymentLine), ...deliveries.map(deliveryLine)].map(
    (line) => `${time}  ${line}`,
  );
}
