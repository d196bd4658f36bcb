// What a status route responds.
import type { Payment } from "../../contract/payment.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import type { PaymentProgress } from "./follow-payment.ts";
import { isOver, type Subscribe } from "./shared-wait.ts";

/** How long a page waits for the first read. */
export const FIRST_READ_MS = 10_000;

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

/** A code of the checkout. */
const CODE = /^[a-z][a-z\d_]{0,60}$/;

function progressOf(payment: Payment, final: boolean): PaymentProgress {
  const { status, user_message, retry_possible, message_code } = payment;
  return {
    status,
    final,
    // A page may be seen by others than the owner of the phone.
    ...(typeof user_message === "string" && { user_message: maskPhones(user_message) }),
    ...(typeof retry_possible === "boolean" && { retry_possible }),
    ...(typeof message_code === "string" && CODE.test(message_code) && { message_code }),
  };
}

export const wantsStream = ({ headers }: Request): boolean =>
  headers.get("accept")?.includes("text/event-stream") === true;

export const onlyGet = (): Response =>
  json(405, { error: "Only GET is allowed." }, { allow: "GET" });

/** For what does not exist, or may not be seen. */
export const nothingToFollow = (what: "payment" | "order"): Response =>
  json(404, { error: `There is no ${what} to follow.` });

export const unreadable = (what: "payment" | "order"): Response =>
  json(503, { error: `The ${what} cannot be read at the moment.` }, { "retry-after": "5" });

export const progressResponse = (payment: Payment, final: boolean): Response =>
  json(200, progressOf(payment, final));

export const streamResponse = (subscribe: Subscribe, signal: AbortSignal): Response =>
  new Response(streamOf(subscribe, signal), { headers: STREAM_HEADERS });

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
