import { isGatewayError } from "../../errors/any.ts";
import {
  checkFunction,
  checkOptions,
  checkWholeNumber,
  type OptionRows,
} from "../../internal/check-options.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { WAIT_OPTIONS, type WaitOptions } from "../waiting/wait-options.ts";
import {
  isOver,
  type KnownPayment,
  type PaymentWaiter,
  type Subscribe,
  sharedWaits,
} from "./shared-wait.ts";
import {
  FIRST_READ_MS,
  nothingToFollow,
  onlyGet,
  progressResponse,
  streamResponse,
  unreadable,
  wantsStream,
} from "./status-response.ts";

/** The options of `statusHandler`. */
export interface StatusHandlerOptions {
  /**
   * Finds the payment that a page may see, such as the one of the order in the customer's session.
   * Return `undefined`, `null` or `""` if there is none: the page gets a 404. Never return a reference that the page
   * sent without a check of whose it is.
   */
  reference: (request: Request) => string | null | undefined | Promise<string | null | undefined>;
  /**
   * What makes the route read a payment at once, such as `createWakeups().wake`. Set it if the
   * gateway has no `wakeups`, and your webhooks know of a payment sooner than the next read.
   *
   * @default that of `wakeups` of the gateway; without it, pages learn of a change at the next read
   */
  wake?: WaitOptions["wake"];
  /**
   * Statuses that are final besides `completed` and `failed`. Set it if your service sends final
   * statuses that are not documented, such as `"reversed"`.
   *
   * @default []
   */
  finalStatuses?: WaitOptions["finalStatuses"];
  /**
   * How many payments the route follows at a time. Beyond it, a page learns the status as it is now, and asks
   * again after some seconds. Set it higher if more customers pay at a time.
   *
   * @default 1_000
   */
  maxWaits?: number | undefined;
}

const OPTIONS = {
  reference: (find) => checkFunction("reference", find),
  wake: (wake) => WAIT_OPTIONS.wake(wake),
  finalStatuses: (statuses) => WAIT_OPTIONS.finalStatuses(statuses),
  maxWaits: (count = 1_000) => checkWholeNumber("maxWaits", count, 1, 1_000_000),
} satisfies OptionRows<StatusHandlerOptions>;

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
  const own = checkOptions(options, OPTIONS, "statusHandler");
  const { reference: find, wake, finalStatuses, maxWaits } = own;
  const waits = sharedWaits(gateway, { wake, finalStatuses }, maxWaits);
  return async (request) => {
    if (request.method !== "GET") return onlyGet();
    const reference = await find(request);
    // A column of SQL without a value.
    if (reference === undefined || reference === null || reference === "")
      return nothingToFollow("payment");
    const subscribe = waits(reference);
    // A page whose stream would end with an error now polls, and learns why.
    return wantsStream(request) && errorOf(subscribe) === undefined
      ? streamResponse(subscribe, request.signal)
      : jsonOf(subscribe);
  };
}

/** Why the payment cannot be read, if that is known already. */
function errorOf(subscribe: Subscribe): unknown {
  let known: KnownPayment = { final: false };
  subscribe((now) => {
    known = now;
  })();
  return known.error;
}

/** The status as it is known now; at the first request, as soon as it is. */
async function jsonOf(subscribe: Subscribe): Promise<Response> {
  let known: KnownPayment = { final: false };
  let stop = () => {};
  const first = new Promise<void>((resolve) => {
    stop = subscribe((now) => {
      known = now;
      if (now.payment !== undefined || isOver(now)) resolve();
    });
  });
  await waitAtMost(first, FIRST_READ_MS);
  stop();
  const { payment, final, error } = known;
  if (payment !== undefined) return progressResponse(payment, final);
  const isNotThere = isGatewayError(error) && error.code === "not_found";
  return isNotThere ? nothingToFollow("payment") : unreadable("payment");
}
