import { clearTimeout, setTimeout } from "../clock/time.ts";
import { attemptHeaders } from "../faults/chaos-deliveries.ts";
import type { Deliver, SandboxSettings } from "../options.ts";
import type { Delivery, DeliveryAttempt, DeliveryChaos } from "../state/records.ts";
import { DELIVERY_HEADER } from "./deliveries.ts";

export interface PostResult extends Pick<DeliveryAttempt, "status" | "error"> {
  /** The beginning of the response body. */
  readonly body: string;
}

interface Attempt {
  readonly delivery: Delivery;
  readonly faults: readonly DeliveryChaos[];
  /** The signature, and what else the service sends with it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How many bytes of a response body are stored: enough for a message. */
const MAX_STORED_BYTES = 2_048;

/** Sends a delivery once. Never rejects. */
export function post(
  attempt: Attempt,
  { deliver, deliveryTimeoutMs }: SandboxSettings,
): Promise<PostResult> {
  if (attempt.faults.includes("drop"))
    return Promise.resolve({ error: "dropped by chaos", body: "" });
  const controller = new AbortController();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ error: `no response within ${deliveryTimeoutMs} ms`, body: "" });
      controller.abort();
    }, deliveryTimeoutMs);
    send(attempt, deliver, controller.signal)
      .catch((error: unknown): PostResult => ({ error: describeFailure(error), body: "" }))
      .then((result) => {
        clearTimeout(timer);
        resolve(result);
      });
  });
}

async function send(
  { delivery, faults, headers }: Attempt,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<PostResult> {
  const response = await deliver(
    new Request(delivery.url, {
      method: "POST",
      body: delivery.body,
      headers: {
        "content-type": "application/json",
        ...headers,
        [DELIVERY_HEADER]: delivery.id,
        ...attemptHeaders(delivery, faults),
      },
      redirect: "manual",
      signal,
    }),
  );
  // Read to its end, so that the connection can be used again.
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MAX_STORED_BYTES);
  return { status: response.status, body: new TextDecoder().decode(bytes) };
}

/** `fetch failed: ECONNREFUSED` */
function describeFailure(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown } };
  return [message ?? error, cause?.code].filter(Boolean).map(String).join(": ");
}
