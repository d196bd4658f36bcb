import {
  EVENT_KINDS,
  type EventKind,
  type KnownWebhookEvent,
  type WebhookEvent,
} from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { checkFunction } from "../../internal/check-options.ts";
import type { EventSource, Transaction } from "../inbox/inbox-types.ts";
import { type Kinds, OTHER_QUEUE, queueOf } from "../inbox/kinds.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";

/** What a handler gets beside the event. */
export interface HandlerContext {
  /** From 1. An attempt during which the process died counts. */
  readonly attempt: number;
  /** Aborts at `handlerTimeoutMs`, and as soon as another process has the event. */
  readonly signal: AbortSignal;
  /**
   * The same for every attempt of the same event, and different for every other event. Pass it to
   * whatever the handler calls, so that a second attempt has no second effect.
   */
  readonly idempotencyKey: string;
  /** Whose event it is: what `merchant` of the receiver returned for its delivery. */
  readonly merchant?: string;
  /**
   * How the event became known: the service delivered it (`webhook`), or `receiver.sweep()` read its
   * payment (`read`).
   */
  readonly source: EventSource;
  /**
   * Runs the handler's own writes and "this event is processed" in one transaction of the inbox's
   * database, so that each event has its effect once, even if a process dies. With `sqlite()` it
   * takes a function of the database, with `postgres()` an async function of the `pg` client.
   * The other inboxes have none: it rejects with a {@link ConfigurationError}, and the event becomes a
   * dead letter at once.
   */
  readonly transaction: Transaction;
}

/** Processes an event. A rejection is a failed attempt: the event is retried. */
export type WebhookHandler<Event extends WebhookEvent = WebhookEvent> = (
  event: Event,
  context: HandlerContext,
) => unknown;

/** Kinds are free text: a sender must not fill the memory, nor the log. */
const MAX_UNHANDLED = 100;

/** The handlers of a receiver: one for each kind, and one for all others. */
export class Handlers {
  readonly #byKind = new Map<string, WebhookHandler<never>>();
  #other: WebhookHandler | undefined;
  readonly #isStarted: () => boolean;
  readonly #settings: Pick<ReceiverSettings, "ignore" | "onUnhandled">;
  /** Kinds of accepted events that this process does not handle. */
  readonly #unhandled = new Set<string>();
  #isComplete = false;

  constructor(
    isStarted: () => boolean,
    settings: Pick<ReceiverSettings, "ignore" | "onUnhandled">,
  ) {
    this.#isStarted = isStarted;
    this.#settings = settings;
  }

  /** @throws {ConfigurationError} */
  add<Kind extends EventKind>(kind: Kind, handler: WebhookHandler<KnownWebhookEvent<Kind>>): void {
    // A handler for a misspelt kind would never be called.
    if (!EVENT_KINDS.includes(kind)) {
      throw new ConfigurationError(
        `${JSON.stringify(kind)} is not a documented kind of event. The kinds are: ${EVENT_KINDS.join(", ")}. Use onOther() for any other.`,
      );
    }
    if (this.isIgnored(kind)) {
      throw new ConfigurationError(
        `${kind} is in \`ignore\`, so its handler would never be called. Remove one of the two.`,
      );
    }
    this.#check(kind, this.#byKind.has(kind), handler);
    this.#byKind.set(kind, handler);
  }

  /** @throws {ConfigurationError} */
  addOther(handler: WebhookHandler): void {
    this.#check("other events", this.#other !== undefined, handler);
    this.#other = handler;
  }

  /** The handler for this kind; `undefined` if there is none. */
  find(kind: string): WebhookHandler | undefined {
    return (this.#byKind.get(kind) as WebhookHandler | undefined) ?? this.#other;
  }

  /** Whether events of this kind are done without a handler. */
  isIgnored(kind: string): boolean {
    return this.#settings.ignore.includes(kind);
  }

  /** Whether this process is done with events of this kind, by a handler or by ignoring them. */
  #takes(kind: string): boolean {
    return this.isIgnored(kind) || this.find(kind) !== undefined;
  }

  /** The kinds that this process works on. */
  kinds(): Kinds {
    if (this.#other !== undefined) return undefined;
    // Ignored kinds without a queue are not stored. Another process, which handles them, may have stored them.
    const ignored = this.#settings.ignore.filter((kind) => queueOf(kind) !== OTHER_QUEUE);
    return [...this.#byKind.keys(), ...ignored];
  }

  /** Notifies the user if this process does not handle the kind, once. */
  noteAccepted(kind: string): void {
    const isNoted = this.#unhandled.has(kind) || this.#unhandled.size >= MAX_UNHANDLED;
    if (this.#takes(kind) || isNoted) return;
    this.#unhandled.add(kind);
    if (this.#isComplete) this.#settings.onUnhandled(kind);
  }

  /** No handler is added any more. */
  complete(): void {
    this.#isComplete = true;
    for (const kind of this.#unhandled) if (!this.#takes(kind)) this.#settings.onUnhandled(kind);
  }

  #check(what: string, isTaken: boolean, handler: unknown): void {
    if (this.#isStarted()) {
      throw new ConfigurationError(
        `The receiver has started: the handler for ${what} must be registered before start().`,
      );
    }
    if (isTaken) throw new ConfigurationError(`A handler for ${what} is already registered.`);
    checkFunction(`handler for ${what}`, handler);
  }
}
