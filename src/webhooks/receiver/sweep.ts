import { isFinal } from "../../contract/payment-state.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { concurrently, iteratorOf } from "../../internal/concurrently.ts";
import { encodeText } from "../../internal/utf8.ts";
import { readEvent } from "../verification/payload.ts";
import type { Handlers } from "./handlers.ts";
import type { PaymentReader } from "./receiver-options.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";
import { storeEvent, verifiedEvent } from "./store-event.ts";

/** What a `sweep` found, in numbers of payments. */
export interface SweepResult {
  /** Payments with a final status whose event was not stored before: their handlers process it now. */
  readonly accepted: number;
  /** Payments whose event was stored before, with the same data. */
  readonly duplicate: number;
  /** Payments whose event was stored before, with other data: see `receiver.conflicts`. */
  readonly conflict: number;
  /** Payments without a final status. */
  readonly pending: number;
  /** Payments that could not be read or stored: `onError` is called with each error. */
  readonly failed: number;
}

type References = Iterable<string> | AsyncIterable<string>;

/** How a sweep is done. */
export interface Sweep {
  readonly payments: PaymentReader;
  readonly settings: ReceiverSettings;
  readonly merchant: string | undefined;
  readonly handlers: Handlers;
  readonly signal: AbortSignal;
}

const CONCURRENCY = 8;

/** Reads payments, and stores those that have ended as their webhooks would be stored. */
export async function sweepPayments(references: References, sweep: Sweep): Promise<SweepResult> {
  const sweepOne = async (reference: string, signal: AbortSignal): Promise<keyof SweepResult> => {
    try {
      return await storeRead(reference, sweep, signal);
    } catch (error) {
      if (!signal.aborted) sweep.settings.onError(error);
      return "failed";
    }
  };
  const counts = { accepted: 0, duplicate: 0, conflict: 0, pending: 0, failed: 0 };
  const source = iteratorOf(references);
  if (source === undefined) {
    throw new ConfigurationError(
      `sweep() takes an iterable of references, such as an array; got ${describeValue(references)}.`,
    );
  }
  const results = concurrently(source, sweepOne, CONCURRENCY, sweep.signal);
  for await (const result of results) counts[result]++;
  return counts;
}

async function storeRead(
  reference: string,
  { payments, settings, merchant, handlers }: Sweep,
  signal: AbortSignal,
): Promise<keyof SweepResult> {
  const payment = await payments.get(reference, { signal });
  const { status } = payment;
  if (typeof status !== "string" || !isFinal(status)) return "pending";
  checkRead(reference, payment);
  const text = JSON.stringify({
    event: `payment.${status}`,
    timestamp: new Date().toISOString(),
    // As the service writes it, so that the key is that of the webhook.
    data: { ...payment, reference: payment.reference ?? reference },
  });
  const raw = encodeText(text);
  const origin = { merchant, secretIndex: 0, receivedAt: Date.now(), source: "read" } as const;
  signal.throwIfAborted();
  const verified = verifiedEvent(readEvent(text), raw, settings, origin);
  const { kind } = await storeEvent(verified, settings, handlers);
  return kind;
}

/** Without these fields, a read has another digest than the webhook of the same payment. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  completed: ["amount", "currency"],
  failed: ["amount"],
};

function checkRead(reference: string, payment: Readonly<Record<string, unknown>>): void {
  const { reference: read = reference } = payment;
  if (String(read) !== reference) {
    throw new Error(
      `The read of the payment ${JSON.stringify(reference)} returned another one, ${JSON.stringify(read)}. It was left out.`,
    );
  }
  const missing = NEEDED[String(payment.status)]?.find((name) => !payment[name]);
  if (missing === undefined) return;
  throw new Error(
    `The read of the payment ${JSON.stringify(reference)} has no \`${missing}\`, so it cannot be compared with the webhook of the same payment. It was left out.`,
  );
}
