import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkFields } from "../faults/faults.ts";
import { closest, counterexample } from "./counterexample.ts";
import { countOrders, ordersOf } from "./orders.ts";
import { type Explorable, play } from "./run.ts";

/** How far `explore` goes. */
export interface ExploreOptions {
  /** How often each event may come. 1 tries orders alone. @default 2 */
  times?: number | undefined;
  /** With more orders than this, it throws before the first. @default 10_000 */
  maxRuns?: number | undefined;
}

function checkInput(fresh: unknown, events: unknown, options: ExploreOptions): void {
  checkFields(options, ["times", "maxRuns"], "explore()");
  const { times = 2, maxRuns = 10_000 } = options;
  if (typeof fresh !== "function" || !Array.isArray(events) || events.length === 0) {
    throw new ConfigurationError(
      "explore() takes a function that gives a fresh { handle(event), state() }, and a list of events.",
    );
  }
  if (!(Number.isInteger(times) && times >= 1 && maxRuns >= 1)) {
    throw new ConfigurationError("explore() takes `times` and `maxRuns` of 1 or more.");
  }
  const runs = countOrders(events.length, times);
  if (runs <= maxRuns) return;
  const many = Number.isFinite(runs) ? runs.toLocaleString("en-US") : "far too many";
  throw new ConfigurationError(
    `${events.length} events that come up to ${times} times have ${many} orders, and \`maxRuns\` is ${maxRuns}. Give fewer events, or \`times: 1\`, or more runs.`,
  );
}

/**
 * Your handler against every order and every repetition of a short history: deliveries come late,
 * doubled and out of order, and the final state should be the same whatever they do.
 *
 * Events are handled one after another. One that the handler throws at comes again after the
 * others, as a refused delivery is retried.
 *
 * @param fresh - Gives a handler for each run, with nothing behind it.
 * @param events - Up to four, or up to seven with `times: 1`.
 * @returns How many orders were tried.
 * @throws {CounterexampleError} with two orders that end in different states, and differ in one place.
 * @throws {ConfigurationError} where there are more orders than `maxRuns`, or nothing to try.
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
  fresh: () => Explorable<Event> | Promise<Explorable<Event>>,
  events: readonly Event[],
  options: ExploreOptions = {},
): Promise<{ runs: number }> {
  checkInput(fresh, events, options);
  const tryOut = (order: readonly number[]) => play(fresh, events, order);
  let right: string | undefined;
  let runs = 0;
  for (const order of ordersOf(events.length, options.times ?? 2)) {
    const { text, refusal } = await tryOut(order);
    runs++;
    if (right === undefined && refusal !== undefined) {
      throw new Error(
        `explore(): the handler does not take the events even in the order given: ${text}`,
        { cause: refusal.error },
      );
    }
    right ??= text;
    if (text === right) continue;
    const pair = await closest([order, text], right, async (one) => (await tryOut(one)).text);
    throw counterexample(events, pair);
  }
  return { runs };
}
