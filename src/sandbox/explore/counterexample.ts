import { earlierNeighbour } from "./orders.ts";

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
export function counterexample<Event>(
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
