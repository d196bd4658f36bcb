import { stepsBetween } from "./orders.ts";

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

type Order = readonly number[];
/** An order and its final state. */
export type Tried = readonly [order: Order, state: string];

/**
 * Finds two neighbouring orders with different final states, between the given order and a wrong one.
 *
 * @param wrong - An order that ends in a wrong state. All shorter ones end in the expected state.
 * @param expected - The expected state.
 */
export async function closest(
  [wrong, state]: Tried,
  expected: string,
  stateOf: (order: Order) => Promise<string>,
): Promise<[Tried, Tried]> {
  const again = wrong.findLastIndex((event, at) => wrong.indexOf(event) < at);
  // Without the repeated event it is a shorter order.
  let before: Tried = [wrong, state];
  if (again >= 0) return [[wrong.toSpliced(again, 1), expected], before];
  for (const order of stepsBetween(wrong)) {
    const step: Tried = [order, await stateOf(order)];
    if (step[1] !== before[1]) return [step, before];
    before = step;
  }
  // Only a handler that differs from run to run comes here.
  return [
    [wrong.toSorted((a, b) => a - b), expected],
    [wrong, state],
  ];
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

/** The error for two orders with different final states. */
export function counterexample<Event>(
  events: readonly Event[],
  [[one, first], [other, second]]: readonly [Tried, Tried],
): CounterexampleError<Event> {
  const names = distinctNames(events);
  const named = (order: Order) => order.map((event) => names[event]).join(", ");
  const at = other.findIndex((event, index) => event !== one[index]);
  const [moved, neighbour] = [names[other[at] as number], names[other[at + 1] as number]];
  const difference =
    one.length === other.length
      ? `${moved} comes before ${neighbour}, not after it`
      : `${moved} comes once more`;
  const message = [
    "The final state depends on the order of the events.",
    `\n  in order  ${named(one)}\n  ends in   ${first}`,
    `\n  but       ${named(other)}\n  ends in   ${second}`,
    `\nIn the second order ${difference}.`,
  ];
  const eventsOf = (order: Order) => order.map((event) => events[event] as Event);
  return new CounterexampleError(
    message.join("\n"),
    [eventsOf(one), eventsOf(other)],
    [first, second],
  );
}
