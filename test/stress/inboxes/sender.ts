import { setTimeout as sleep } from "node:timers/promises";
import { signWebhook } from "malipo/webhooks";

export const SECRET = "whsec_soak";

// Of this run: an event that is older than an inbox remembers would be a dead letter.
const TIMESTAMP = new Date().toISOString();

export interface Delivery {
  readonly reference: string;
  readonly body: string;
  readonly signature: string;
}

/** The payment of a reference, as the service returns it. */
export const paymentOf = (reference: string, amount = "100.00") => ({
  payment_id: Number(reference.replaceAll(/\D/g, "")),
  reference,
  status: "completed",
  amount,
  currency: "KES",
  channel: "mpesa",
  account_reference: `ORDER-${reference}`,
});

export function deliveryOf(
  reference: string,
  amount?: string,
  event = "payment.completed",
): Delivery {
  const data = paymentOf(reference, amount);
  const body = JSON.stringify({ event, timestamp: TIMESTAMP, data });
  return { reference, body, signature: signWebhook(body, SECRET) };
}

/** Posts once. Returns the status, or `undefined` if the connection broke. */
async function post(port: number, { body, signature }: Delivery): Promise<number | undefined> {
  const headers = { "content-type": "application/json", "x-service-signature": signature };
  const signal = AbortSignal.timeout(15_000);
  try {
    const url = `http://127.0.0.1:${port}/webhooks`;
    const response = await fetch(url, { method: "POST", headers, body, signal });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

/** Posts until it is acknowledged, as the service does. Returns the number of attempts. */
export async function deliver(port: number, delivery: Delivery): Promise<number> {
  for (let tries = 1; ; tries++) {
    const status = await post(port, delivery);
    if (status === 200) return tries;
    if (status !== undefined && status !== 503) {
      throw new Error(`${delivery.reference} returned ${status}.`);
    }
    await sleep(50);
  }
}
