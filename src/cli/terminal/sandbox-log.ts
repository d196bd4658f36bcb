import type { Activity, Delivery, SandboxPayment } from "../../sandbox/index.ts";
import { meaningOf } from "../diagnosis/unreached.ts";
import { paint, printable } from "./output.ts";

const COLOURS = { pending: "yellow", completed: "green", failed: "red" } as const;

function paymentLine(payment: SandboxPayment): string {
  const { reference, status, currency, amount, phone, failure_reason } = payment;
  const told = {
    pending: `${currency} ${amount} from ${phone}: the phone is ringing`,
    completed: `${currency} ${amount} from ${phone}`,
    failed: `${failure_reason}`,
  }[status];
  return `payment  ${reference}  ${paint(COLOURS[status], status.padEnd(9))}  ${printable(told)}`;
}

/** `fetch failed: ECONNREFUSED` says little to most. */
function why(error = "under way"): string {
  const code = /\b[A-Z][A-Z_]{4,}$/.exec(error)?.[0];
  return code === undefined ? error : meaningOf(code);
}

function deliveryLine({ id, event, url, state, attempts }: Delivery): string {
  const last = attempts.at(-1);
  const answer =
    last?.status === undefined ? why(last?.error) : `${last.status} in ${last.latencyMs} ms`;
  const colour = last?.status === 200 ? "green" : "red";
  const next = state === "pending" ? "; will be tried again" : "";
  return `webhook  ${id}  ${event} to ${printable(url)}  ${paint(colour, printable(answer))}${next}`;
}

/** What has just happened, a line each. */
export function logLines({ payments, deliveries }: Activity): string[] {
  const time = paint("dim", new Date().toTimeString().slice(0, 8));
  return [...payments.map(paymentLine), ...deliveries.map(deliveryLine)].map(
    (line) => `${time}  ${line}`,
  );
}
