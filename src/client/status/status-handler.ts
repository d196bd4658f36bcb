import type { Payment } from "../../contract/payment.ts";
import { checkFunction, ownOptions } from "../../internal/check-options.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import type { WaitOptions } from "../waiting/wait-options.ts";
import type { PaymentProgress } from "./follow-payment.ts";
import {
  isOver,
  type Known,
  type PaymentWaiter,
  type Subscribe,
  sharedWaits,
} from "./shared-wait.ts";

/** The options of `statusHandler`. */
export interface StatusHandlerOptions {
  /**
   * Finds the payment that a page may see, such as the one of the order in the customer's session.
   * Return `undefined` if there is none: the page gets a 404. Never return a reference that the page
   * sent without a check of whose it is.
   */
  reference: (request: Request) => string | undefined | Promise<string | undefined>;
  /**
   * What makes the route read a payment at once, such as `createWakeups().wake`. Set it if your
   * webhooks arrive in this process, or with `redisWakeups` or `postgresWakeups` in another one.
   *
   * @default none: pages learn of a change at the next read
   */
  wake?: WaitOptions["wake"];
  /**
   * Statuses that are final besides `completed` and `failed`. Set it if your service sends final
   * statuses that are not documented, such as `"reversed"`.
   *
   * @default []
   */
  finalStatuses?: WaitOptions["finalStatuses"];
}

/** How long a page waits for the first read. */
const FIRST_READ_MS = 10_000;

/** Proxies close a connection that is silent for a minute, some sooner. */
const PING_MS = 20_000;

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
const STREAM_HEADERS = {
  ...HEADERS,
  "content-type": "text/event-stream",
  // nginx would hold the events back.
  "x-accel-buffering": "no",
};

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { ...HEADERS, ...headers } });

function progressOf(payment: Payment, final: boolean): PaymentProgress {
  const { status, user_message, retry_possible } = payment;
  return {
    status,
    final,
    // A page may be seen by others than the owner of the phone.
    ...(typeof user_message === "string" && { user_message: maskPhones(user_message) }),
    ...(typeof retry_possible === "boolean" && { retry_possible }),
  };
}

/**
 * A route that tells pages how a payment goes, without a key in the page: as JSON, or as an event stream
 * if the page asks for one. All pages that show one payment share one wait, and so one read of the
 * gateway at a time. It works in every framework whose requests are `Request` objects.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * // Next: app/orders/[order]/payment/route.ts
 * export const GET = statusHandler(gateway, {
 *   reference: async (request) => (await orderOf(request))?.reference,
 *   wake: wakeups.wake,
 * });
 * ```
 */
export function statusHandler(
  gateway: PaymentWaiter,
  options: StatusHandlerOptions,
): (request: Request) => Promise<Response> {
  const names = ["reference", "wake", "finalStatuses"];
  const { reference: find, wake, finalStatuses } = ownOptions(options, names, "statusHandler");
  checkFunction("reference", find);
  if (wake !== undefined) checkFunction("wake", wake);
  const waits = sharedWaits(gateway, { wake, finalStatuses });
  return async (request) => {
    if (request.method !== "GET") {
      return json(405, { error: "Only GET is allowed." }, { allow: "GET" });
    }
    const reference = await find(request);
    if (reference === undefined) return json(404, { error: "There is no payment to follow." });
    const subscribe = waits(reference);
    const wantsStream = request.headers.get("accept")?.includes("text/event-stream");
    return wantsStream
      ? new Response(streamOf(subscribe, request.signal), { headers: STREAM_HEADERS })
      : jsonOf(subscribe);
  };
}

const UNREADABLE = "The payment cannot be read at the moment.";

/** The status as it is known now; at the first request, as soon as it is. */
async function jsonOf(subscribe: Subscribe): Promise<Response> {
  let known: Known = { final: false };
  let stop = () => {};
  const first = new Promise<void>((resolve) => {
    stop = subscribe((now) => {
      known = now;
      if (now.payment !== undefined || isOver(now)) resolve();
    });
  });
  await waitAtMost(first, FIRST_READ_MS);
  stop();
  const { payment, final } = known;
  return payment === undefined
    ? json(503, { error: UNREADABLE }, { "retry-after": "5" })
    : json(200, progressOf(payment, final));
}

/** Each change of the status as an event. Ends with the final one, or if the payment cannot be read. */
function streamOf(subscribe: Subscribe, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop = () => {};
  return new ReadableStream({
    start: (controller) => {
      const send = (text: string) => controller.enqueue(encoder.encode(`${text}\n\n`));
      // The first bytes make proxies pass the headers on.
      send(": open");
      const ping = setInterval(send, PING_MS, ": ping");
      let unsubscribe: (() => void) | undefined;
      let isOpen = true;
      stop = () => {
        isOpen = false;
        clearInterval(ping);
        signal.removeEventListener("abort", close);
        unsubscribe?.();
      };
      const close = () => {
        if (!isOpen) return;
        stop();
        controller.close();
      };
      signal.addEventListener("abort", close);
      unsubscribe = subscribe((known) => {
        if (!isOpen) return;
        const { payment, final } = known;
        if (payment !== undefined) send(`data: ${JSON.stringify(progressOf(payment, final))}`);
        if (isOver(known)) close();
      });
      // The payment was over at once, or the page has left.
      if (!isOpen) unsubscribe();
      else if (signal.aborted) close();
    },
    cancel: () => stop(),
  });
}
