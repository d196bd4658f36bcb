import type { Payment } from "../../contract/payment.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { callHook } from "../hooks.ts";

/**
 * What a page learns of a payment. It holds no reference, no phone and no name. A type and not an
 * interface, so that it is a {@link Payment} too.
 */
export type PaymentProgress = {
  /** `pending`, `completed`, `failed`, or a status that is not documented. */
  readonly status: Payment["status"];
  /** Whether the payment has reached a final status. */
  readonly final: boolean;
  /** What to tell the customer. Only a failed payment has it. */
  readonly user_message?: string;
  /** Whether the customer may try again. Only a failed payment has it. */
  readonly retry_possible?: boolean;
  /**
   * The `messageCode` of an order of the checkout, for words of your own: `refused` or `canceled_paying_back` if its
   * money is to be paid back, `paid_back` if it was. Only an order that is not paid has it, or one that was refused.
   */
  readonly message_code?: string;
};

/** The options of `followPayment`. */
export interface FollowOptions {
  /** Ends it at once: it rejects with the signal's own reason. Set it if the customer may leave. */
  signal?: AbortSignal | undefined;
  /** Called at the first status and each time the status has changed. Set it to show progress. */
  onUpdate?: ((progress: PaymentProgress) => void) | undefined;
}

/** Between two requests if there is no event stream, spread so that pages do not ask together. */
const POLL_MS = 3_000;

/** Longer than the route waits for its first read. */
const ATTEMPT_MS = 15_000;

/** Requests for what is not there: a page may be faster than the server that makes it. That is about ten seconds. */
const NOT_FOUND_REQUESTS = 4;

/** Statuses below 500 that may pass. */
const PASSING: readonly number[] = [408, 425, 429];

/** The error of a status after which no later request succeeds; `undefined` if one may. */
function rejectionOf(status: number, notFound: number): ConnectionError | undefined {
  const mayPass = PASSING.includes(status) || (status === 404 && notFound < NOT_FOUND_REQUESTS);
  if (status < 400 || status >= 500 || mayPass) return undefined;
  const message = `The status route rejected the request with ${status}. Is the customer signed in, and is the payment theirs?`;
  return new ConnectionError(message, "rejected");
}

/**
 * Follows a payment in a page, by a route of your server that `statusHandler` made. Resolves with the
 * final status. It listens to the route's events; if there is no event stream, it polls. It goes on after
 * failures of the network and of the server. To limit the time, set `signal`.
 *
 * @param url - The address of the route. Cookies are sent to your own origin.
 * @throws {ConnectionError} if the route rejects the request, such as with 401 or 403, or responds 404 for about
 * ten seconds.
 *
 * @example
 * ```ts
 * import { followPayment } from "malipo/status";
 *
 * const { status } = await followPayment("/orders/42/payment", { onUpdate: show });
 * ```
 */
export function followPayment(
  url: string | URL,
  { signal, onUpdate }: FollowOptions = {},
): Promise<PaymentProgress> {
  return new Promise((resolve, reject) => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown: string | undefined;
    let cancel = () => {};
    let isOver = false;
    let notFound = 0;
    const stop = () => {
      isOver = true;
      source?.close();
      cancel();
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      stop();
      reject(signal?.reason);
    };
    const receive = (text: string) => {
      const progress: PaymentProgress = JSON.parse(text);
      if (shown !== text) callHook(onUpdate, () => progress);
      shown = text;
      if (!progress.final) return;
      stop();
      resolve(progress);
    };
    const poll = async () => {
      const attempt = new AbortController();
      cancel = () => attempt.abort();
      timer = setTimeout(cancel, ATTEMPT_MS);
      try {
        const response = await fetch(url, { cache: "no-store", signal: attempt.signal });
        if (response.status === 404) notFound++;
        const rejection = rejectionOf(response.status, notFound);
        if (rejection !== undefined) {
          stop();
          reject(rejection);
        } else if (response.ok) receive(await response.text());
      } catch {
        // The next request may succeed.
      }
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(poll, POLL_MS * (1 + Math.random() / 4));
    };
    const listen = () => {
      source = new EventSource(url);
      source.onmessage = ({ data }) => receive(data);
      source.onerror = () => {
        // It has stopped: the response was no event stream. Otherwise it connects again.
        if (source?.readyState === EventSource.CLOSED) void poll();
      };
    };
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    else if (typeof EventSource === "function") listen();
    else void poll();
  });
}
