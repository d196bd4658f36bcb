import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { stateText } from "./state-text.ts";

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
export async function runInOrder<Event>(
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
