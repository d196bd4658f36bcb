import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { stateText } from "./state-text.ts";

/** A handler with nothing behind it yet, and what it keeps. */
export interface Explorable<Event = WebhookEvent> {
  /** Handles one event. What it throws stands for a refusal: the event comes again, after the others. */
  handle(event: Event): unknown;
  /**
   * What came of it all: any value. The order of fields, and of the entries of a Map or a Set, makes
   * no difference; that of an array does.
   */
  state(): unknown;
  /** Called when a run is over: for what has to be closed. */
  close?(): unknown;
}

/** Gives a handler for a run. */
export type Fresh<Event> = () => Explorable<Event> | Promise<Explorable<Event>>;

/** Where a handler never took an event, that is part of what came of it. */
export interface RunResult {
  readonly text: string;
  /** What it threw at last. */
  readonly refusal?: { readonly error: unknown };
}

/** Hands the events to a fresh handler, in an order. */
export async function play<Event>(
  fresh: Fresh<Event>,
  events: readonly Event[],
  order: readonly number[],
): Promise<RunResult> {
  const subject = await fresh();
  if (typeof subject?.handle !== "function" || typeof subject.state !== "function") {
    throw new ConfigurationError(
      "explore() takes a function that gives a fresh { handle(event), state() } for every run.",
    );
  }
  try {
    let waiting = [...order];
    let refusal: RunResult["refusal"];
    for (let before = Number.POSITIVE_INFINITY; waiting.length > 0; ) {
      // Nothing was taken in a whole round: nothing ever will be.
      if (waiting.length === before) {
        const why = `${waiting.length} refused for good: ${stateText(refusal?.error)}`;
        return { text: `${stateText(await subject.state())}, ${why}`, ...(refusal && { refusal }) };
      }
      before = waiting.length;
      const refused: number[] = [];
      for (const index of waiting) {
        try {
          // A copy: what a handler does to one must not show in the next.
          await subject.handle(structuredClone(events[index] as Event));
        } catch (error) {
          refused.push(index);
          refusal = { error };
        }
      }
      waiting = refused;
    }
    return { text: stateText(await subject.state()) };
  } finally {
    await subject.close?.();
  }
}
