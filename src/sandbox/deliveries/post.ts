import { clearTimeout, setTimeout } from "../clock/time.ts";
import type { Deliver, SandboxSettings } from "../options.ts";
import type { DeliveryAttempt } from "../state/records.ts";

export interface PostResult extends Pick<DeliveryAttempt, "status" | "error"> {
  /** The beginning of the response body. */
  readonly body: string;
}

/** How many bytes of a response body are stored: enough for a message. */
const MAX_STORED_BYTES = 2_048;

/** Sends a body once. Never rejects. */
export function post(
  url: string,
  init: Pick<RequestInit, "headers" | "body">,
  { deliver, deliveryTimeoutMs }: SandboxSettings,
): Promise<PostResult> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ error: `no response within ${deliveryTimeoutMs} ms`, body: "" });
      controller.abort();
    }, deliveryTimeoutMs);
    send(url, { ...init, signal: controller.signal }, deliver)
      .catch((error: unknown): PostResult => ({ error: describeFailure(error), body: "" }))
      .then((result) => {
        clearTimeout(timer);
        resolve(result);
      });
  });
}

async function send(url: string, init: RequestInit, deliver: Deliver): Promise<PostResult> {
  const request = new Request(url, { ...init, method: "POST", redirect: "manual" });
  const response = await deliver(request);
  // Read to its end, so that the connection can be used again.
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, MAX_STORED_BYTES);
  return { status: response.status, body: new TextDecoder().decode(bytes) };
}

/** `fetch failed: ECONNREFUSED` */
function describeFailure(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: { code?: unknown } };
  return [message ?? error, cause?.code].filter(Boolean).map(String).join(": ");
}
