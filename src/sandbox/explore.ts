import type { WebhookEvent } from "../contract/events.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { checkOptions, checkWholeNumber, type OptionRows } from "../internal/check-options.ts";

/** Whether {@link ordersOf} yields more than `max` orders. */
function hasMoreOrders(events: number, times: number, max: number): boolean {
  // Many events have too many orders even without a repetition.
  let permutations = 1;
  for (let event = 2; event <= events && permutations <= max; event++) permutations *= event;
  if (permutations > max) return true;
  let count = 0;
  for (const _ of ordersOf(events, times)) if (++count > max) return true;
  return false;
}

/**
 * Every order of this many events, each at least once and at most `times` times. The shortest orders
 * come first, those of one length in the order of their numbers: the given order is the first of all.
 */
function* ordersOf(events: number, times: number): Generator<readonly number[]> {
  function* extend(order: readonly number[], length: number): Generator<readonly number[]> {
    if (order.length === length) yield order;
    const missing = events - new Set(order).size;
    for (let event = 0; event < events && order.length < length; event++) {
      const copies = order.filter((one) => one === event).length;
      // The rest of the places may all be needed for the events that have not come yet.
      const isTooMany = copies > 0 && length - order.length <= missing;
      if (copies < times && !isTooMany) yield* extend([...order, event], length);
    }
  }
  for (let length = events; length <= events * times; length++) yield* extend([], length);
}

/**
 * An order that {@link ordersOf} yields before this one, and that differs from it in one place: an event
 * comes once less or, if none comes twice, two neighbours are swapped. The first order has none.
 */
function earlierNeighbour(order: readonly number[]): readonly number[] {
  const again = order.findLastIndex((event, at) => order.indexOf(event) < at);
  if (again >= 0) return order.toSpliced(again, 1);
  const at = order.findIndex((event, at) => event > (order[at + 1] ?? event));
  return order.toSpliced(at, 2, order[at + 1] as number, order[at] as number);
}

/**
 * A value as text: equal values give equal texts. The order of fields and of the entries of a Map or a
 * Set makes no difference, nor does a field that is `undefined`. The order of an array does.
 */
function stateText(value: unknown, inside: readonly object[] = []): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null) return String(value);
  if (inside.includes(value)) return "[itself]";
  const show = (one: unknown) => stateText(one, [...inside, value]);
  const listed = (texts: Iterable<string>) => [...texts].join(", ");
  if (value instanceof Date) return Number.isNaN(+value) ? "no date" : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value)) return `[${listed(value.map(show))}]`;
  if (ArrayBuffer.isView(value)) return `bytes ${listed(bytesOf(value).map(String))}`;
  if (value instanceof Set) return `Set {${listed([...value].map(show).sort())}}`;
  if (value instanceof Map) {
    return `Map {${listed([...value].map(([key, one]) => `${show(key)}: ${show(one)}`).sort())}}`;
  }
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${listed(fields.map(([name, one]) => `${name}: ${show(one)}`).sort())}}`;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => [
  ...new Uint8Array(buffer, byteOffset, byteLength),
];

/** A handler without any history, and the state that it keeps. */
export interface Explorable<Event = WebhookEvent> {
  /** Handles one event. If it throws, the event comes again after the others. */
  handle(event: Event): unknown;
  /**
   * The final state: any value. The order of fields, and of the entries of a Map or a Set, makes no
   * difference; the order of an array does.
   */
  state(): unknown;
  /** Called at the end of a run. Close here what the handler has open. */
  close?(): unknown;
}

/**
 * Runs a new handler with the events in a given order. Returns its final state as text, how many events
 * it never accepted, and what it threw last.
 */
async function runInOrder<Event>(
  createHandler: () => Explorable<Event> | Promise<Explorable<Event>>,
  events: readonly Event[],
  order: readonly number[],
) {
  const handler = await createHandler();
  if (typeof handler?.handle !== "function" || typeof handler.state !== "function") {
    throw new ConfigurationError(
      "explore() requires a function that returns a new { handle(event), state() } for every run.",
    );
  }
  try {
    const handled = await handleAll(handler, events, order);
    const { remaining, error } = handled;
    const rejected = remaining > 0 ? `, ${remaining} never accepted: ${stateText(error)}` : "";
    return { ...handled, state: stateText(await handler.state()) + rejected };
  } finally {
    await handler.close?.();
  }
}

/** Repeats the events that the handler throws at, until it accepts none of them in a whole round. */
async function handleAll<Event>(
  handler: Explorable<Event>,
  events: readonly Event[],
  order: readonly number[],
) {
  let waiting = order;
  let error: unknown;
  for (;;) {
    const failed: number[] = [];
    for (const index of waiting) {
      try {
        // A copy: what a handler changes in one event must not show in the next run.
        await handler.handle(structuredClone(events[index] as Event));
      } catch (thrown) {
        failed.push(index);
        error = thrown;
      }
    }
    if (failed.length === 0 || failed.length === waiting.length) {
      return { remaining: failed.length, error };
    }
    waiting = failed;
  }
}

/** Two orders of the same events that end in different states. They differ in one place. */
export class CounterexampleError<Event = unknown> extends Error {
  override readonly name = "CounterexampleError";
  readonly orders: readonly [readonly Event[], readonly Event[]];
  /** The final state of each order, as text. */
  readonly states: readonly [string, string];
  constructor(message: string, orders: [Event[], Event[]], states: [string, string]) {
    super(message);
    this.orders = orders;
    this.states = states;
  }
}

/** The name of an event in a message: its kind, and what it is about. */
function describeEvent(event: unknown): string {
  const { event: kind, data } = Object(event) as { event?: unknown; data?: unknown };
  if (typeof kind !== "string") return (JSON.stringify(event) ?? String(event)).slice(0, 60);
  const { reference, payment_id, number, id } = Object(data) as Record<string, unknown>;
  return [kind, reference ?? payment_id ?? number ?? id].filter(Boolean).join(" ");
}

/** Events with the same name get a number. */
function distinctNames(events: readonly unknown[]): string[] {
  const names = events.map(describeEvent);
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return names.map((name, index) => (isTwice(name) ? `${name} (${index + 1})` : name));
}

/**
 * The error for an order that ends in another state than every order before it.
 *
 * @param expected - The final state of the orders before it.
 * @param state - Its own final state.
 */
function counterexample<Event>(
  events: readonly Event[],
  order: readonly number[],
  expected: string,
  state: string,
): CounterexampleError<Event> {
  const neighbour = earlierNeighbour(order);
  const names = distinctNames(events);
  const named = (order: readonly number[]) => order.map((event) => names[event]).join(", ");
  const at = order.findIndex((event, index) => event !== neighbour[index]);
  const [moved, next] = [names[order[at] as number], names[order[at + 1] as number]];
  const difference =
    neighbour.length === order.length
      ? `${moved} comes before ${next}, not after it`
      : `${moved} comes once more`;
  const message = [
    "The final state depends on the order of the events.",
    `\n  in order  ${named(neighbour)}\n  ends in   ${expected}`,
    `\n  but       ${named(order)}\n  ends in   ${state}`,
    `\nIn the second order ${difference}.`,
  ];
  const eventsOf = (order: readonly number[]) => order.map((event) => events[event] as Event);
  return new CounterexampleError(
    message.join("\n"),
    [eventsOf(neighbour), eventsOf(order)],
    [expected, state],
  );
}

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

const OPTIONS = {
  times: (count = 2) => checkWholeNumber("times", count, 1),
  maxRuns: (count = 10_000) =>
    count === Number.POSITIVE_INFINITY
      ? count
      : checkWholeNumber("maxRuns", count, 1, Number.MAX_SAFE_INTEGER),
} satisfies OptionRows<ExploreOptions>;

/** @returns How many times each event comes at most. */
function checkInput(createHandler: unknown, events: unknown, options: ExploreOptions): number {
  const { times, maxRuns } = checkOptions(options, OPTIONS, "explore()");
  if (typeof createHandler !== "function") {
    throw new ConfigurationError(
      "explore() requires a function that returns a new { handle(event), state() }.",
    );
  }
  if (!Array.isArray(events) || events.length === 0) {
    throw new ConfigurationError("explore() requires a list with at least one event.");
  }
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
