import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkWholeNumber, ownOptions } from "../../internal/check-options.ts";
import { counterexample } from "./counterexample.ts";
import { hasMoreOrders, ordersOf } from "./orders.ts";
import { type Explorable, runInOrder } from "./run.ts";

/** How far `explore` goes. */
export interface ExploreOptions {
  /** How often each event may come. 1 tries only orders, without duplicates. @default 2 */
  times?: number | undefined;
  /**
   * The most orders to try. With more, `explore` throws before the first run. Set it higher for a
   * fast handler and a longer history.
   * @default 10_000
   */
  maxRuns?: number | undefined;
}

/** @returns How many times each event comes at most. */
function checkInput(createHandler: unknown, events: unknown, options: ExploreOptions): number {
  const own = ownOptions(options, ["times", "maxRuns"], "explore()");
  const { times = 2, maxRuns = 10_000 } = own;
  if (typeof createHandler !== "function") {
    throw new ConfigurationError(
      "explore() requires a function that returns a new { handle(event), state() }.",
    );
  }
  if (!Array.isArray(events) || events.length === 0) {
    throw new ConfigurationError("explore() requires a list with at least one event.");
  }
  checkWholeNumber("times", times, 1);
  if (maxRuns === Number.POSITIVE_INFINITY) return times;
  checkWholeNumber("maxRuns", maxRuns, 1, Number.MAX_SAFE_INTEGER);
  if (!hasMoreOrders(events.length, times, maxRuns)) return times;
  throw new ConfigurationError(
    `${events.length} events that come up to ${times} times have more than ${maxRuns} orders. Pass fewer events, \`times: 1\`, or a larger \`maxRuns\`.`,
  );
}

/**
 * Runs your handler with every order and every repetition of a short history. Deliveries come late,
 * twice and out of order, and the final state should always be the same.
 *
 * The handler gets one event after another. An event that it throws at comes again after the others,
 * as the service retries a delivery.
 *
 * @param createHandler - Returns a new handler, without any history, for each run.
 * @param events - Up to four events, or up to seven with `times: 1`.
 * @returns How many orders were tried.
 * @throws {CounterexampleError} with two orders that end in different states and differ in one place.
 * @throws {ConfigurationError} for more orders than `maxRuns`, a wrong option, or an empty list.
 *
 * @example
 * ```ts
 * await explore(() => {
 *   const orders = new Map();
 *   return {
 *     handle: ({ data }) => {
 *       orders.set(data.reference, mergePayment(orders.get(data.reference), data).payment);
 *     },
 *     state: () => [...orders.values()].map(({ status }) => status),
 *   };
 * }, events);
 * ```
 */
export async function explore<Event = WebhookEvent>(
  createHandler: () => Explorable<Event> | Promise<Explorable<Event>>,
  events: readonly Event[],
  options: ExploreOptions = {},
): Promise<{ runs: number }> {
  const times = checkInput(createHandler, events, options);
  let expected: string | undefined;
  let runs = 0;
  for (const order of ordersOf(events.length, times)) {
    const { state, remaining, error } = await runInOrder(createHandler, events, order);
    runs++;
    if (expected === undefined && remaining > 0) {
      throw new Error(
        `explore(): the handler does not accept the events even in the given order: ${state}`,
        { cause: error },
      );
    }
    expected ??= state;
    if (state !== expected) throw counterexample(events, order, expected, state);
  }
  return { runs };
}
