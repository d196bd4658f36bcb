import {
  EVENT_KINDS,
  type EventKind,
  type KnownWebhookEvent,
  type WebhookEvent,
} from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { Job, Transaction } from "../inbox/types.ts";

/** What a handler gets beside the event. */
export interface HandlerContext {
  /** From 1. An attempt in which the process died counts. */
  readonly attempt: number;
  /** Aborts at `handlerTimeoutMs`, and where another process works the event by now. */
  readonly signal: AbortSignal;
  /**
   * The same at every attempt of the same event, and another for every other: for the handler's own
   * side effects, such as the shipment it orders.
   */
  readonly idempotencyKey: string;
  /**
   * Runs the handler's own writes and "this event is done" in one transaction of the inbox's
   * database: one effect for one event, whatever dies when. With `sqliteInbox` it takes a function of
   * the `DatabaseSync`, with `pgBossInbox` an async one of the `pg` client; the others have none.
   */
  readonly transaction?: Transaction;
}

/** Works off an event. A rejection is a failed attempt: the event is worked again later. */
export type WebhookHandler<Event extends WebhookEvent = WebhookEvent> = (
  event: Event,
  context: HandlerContext,
) => unknown;

/** The handlers of a receiver: one a kind, and one for all others. */
export interface Handlers {
  on<Kind extends EventKind>(kind: Kind, handler: WebhookHandler<KnownWebhookEvent<Kind>>): void;
  onOther(handler: WebhookHandler): void;
  /** The one for this kind; `undefined` where nobody handles it. */
  of(kind: string): WebhookHandler | undefined;
}

export function createHandlers(isStarted: () => boolean): Handlers {
  const byKind = new Map<string, WebhookHandler<never>>();
  let other: WebhookHandler | undefined;

  function check(what: string, taken: boolean, handler: unknown): void {
    if (isStarted()) {
      throw new ConfigurationError(
        `${what}: the receiver has started. Add handlers before start().`,
      );
    }
    if (taken) throw new ConfigurationError(`${what}: there is a handler already, and one it is.`);
    if (typeof handler !== "function") {
      throw new ConfigurationError(`${what}: the handler is not a function.`);
    }
  }

  return {
    on: (kind, handler) => {
      // A kind that is misspelt would never be called, and nobody would know.
      if (!EVENT_KINDS.includes(kind)) {
        throw new ConfigurationError(
          `on(${JSON.stringify(kind)}): no documented kind. They are ${EVENT_KINDS.join(", ")}; onOther() takes the rest.`,
        );
      }
      check(`on(${JSON.stringify(kind)})`, byKind.has(kind), handler);
      byKind.set(kind, handler);
    },
    onOther: (handler) => {
      check("onOther()", other !== undefined, handler);
      other = handler;
    },
    of: (kind) => (byKind.get(kind) as WebhookHandler | undefined) ?? other,
  };
}

/** Has one event worked: rejects where the handler does, and where it has had its time. */
export async function work(
  handler: WebhookHandler,
  event: WebhookEvent,
  { key, attempt, signal: lost, transaction }: Job,
  timeoutMs: number,
): Promise<void> {
  lost.throwIfAborted();
  const controller = new AbortController();
  const context: HandlerContext = {
    attempt,
    signal: controller.signal,
    idempotencyKey: key,
    ...(transaction && { transaction }),
  };
  await new Promise<void>((resolve, reject) => {
    const end = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    const onLost = () => end(lost.reason);
    const timer = setTimeout(
      () => end(new Error(`The handler took longer than handlerTimeoutMs (${timeoutMs} ms).`)),
      timeoutMs,
    );
    lost.addEventListener("abort", onLost);
    // In a promise, since a handler may throw before it returns one.
    Promise.resolve()
      .then(() => handler(event, context))
      .then(() => resolve(), reject)
      .finally(() => {
        clearTimeout(timer);
        lost.removeEventListener("abort", onLost);
      });
  });
}
