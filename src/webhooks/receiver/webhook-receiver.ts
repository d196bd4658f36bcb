import type { EventKind, KnownWebhookEvent } from "../../contract/events.ts";
import type { Conflict, DeadLetter } from "../inbox/event-list.ts";
import type { DrainResult, InboxStats } from "../inbox/inbox-types.ts";
import type { WebhookRequest } from "./accept.ts";
import type { WebhookHandler } from "./handlers.ts";
import type { SweepResult } from "./sweep.ts";
import type { DoublePayments, PendingEvents, WaitingEvents } from "./waiting-events.ts";
import type { Rejection, WebhookResponse } from "./webhook-responses.ts";

/** See {@link createWebhookReceiver}. */
export interface WebhookReceiver {
  /** Registers the handler for one kind of event. One for each kind, before `start()`. */
  on<Kind extends EventKind>(kind: Kind, handler: WebhookHandler<KnownWebhookEvent<Kind>>): void;
  /** Registers the handler for every kind without one, known or not. Before `start()`. */
  onOther(handler: WebhookHandler): void;
  /** Begins to process. Until then, deliveries are stored and acknowledged. */
  start(): Promise<void>;
  /**
   * Accepts nothing new, lets running handlers end, and hands the rest back.
   *
   * @param options - `timeoutMs`: how long to wait for running handlers. Set it below the time in
   * which your platform lets a process shut down. Default: 30_000.
   */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /**
   * Processes what is due now, and returns: for functions and cron jobs, which have no process that
   * keeps running. Use it instead of `start()`; other processes may do either at the same time. If the
   * process is killed meanwhile, nothing is lost.
   *
   * @param options - `timeoutMs`: when to return even if more is due; handlers that still run are aborted
   * and their events handed back. Set it below the time limit of your platform. Default:
   * 10_000. `limit`: how many events to process at most. Default: 1_000.
   * @throws {ConfigurationError} after `start()` or `stop()`, and for an inbox that cannot do it.
   *
   * @example
   * ```ts
   * export async function POST(request: Request) {
   *   const response = await handle(request);
   *   after(() => receiver.drain({ timeoutMs: 20_000 }));
   *   return response;
   * }
   * ```
   */
  drain(options?: {
    timeoutMs?: number | undefined;
    limit?: number | undefined;
  }): Promise<DrainResult>;
  /**
   * Finds the webhooks that never came: reads each payment, by the option `payments`. One that is
   * completed or failed is stored as its webhook would be, and processed by the same handler. Whichever
   * comes first is processed, the other one is a duplicate. Call it every few minutes with the payments
   * of your open orders, but not with payments that are older than the inbox remembers: those may have
   * been processed and forgotten.
   *
   * @param references - Any iterable or async iterable. It is read only as fast as the payments are.
   * @param options - `merchant`: whose payments they are, with a receiver for many merchants.
   * @returns How many payments there were of each sort. A failed read fails only that one.
   * @throws {ConfigurationError} without `payments`.
   *
   * @example
   * ```ts
   * const { accepted, failed } = await receiver.sweep(await orders.openReferences());
   * ```
   */
  sweep(
    references: Iterable<string> | AsyncIterable<string>,
    options?: { merchant?: string | undefined },
  ): Promise<SweepResult>;
  /** For adapters. Never rejects. A 200 means that the delivery is stored. */
  handle(request: WebhookRequest): Promise<WebhookResponse>;
  /** Events that are not processed yet: they wait, run, or are tried again after a failure. */
  readonly waiting: PendingEvents;
  /** Events whose 12 attempts failed, and that were neither requeued nor dropped. */
  readonly deadLetters: WaitingEvents<DeadLetter>;
  /**
   * Deliveries whose event was stored before with other `data`, and that were neither requeued nor
   * dropped. A requeued one is processed as a separate event.
   */
  readonly conflicts: WaitingEvents<Conflict>;
  /**
   * Pairs of completed payments that look like the same money twice: see `onDoublePayment`. Each pair is
   * listed until a person drops it.
   */
  readonly doublePayments: DoublePayments;
  /**
   * What the inbox holds, for a health route. It takes a few milliseconds for each 100,000 stored
   * events. Rejects if your own inbox cannot count.
   */
  stats(): Promise<InboxStats>;
  /**
   * For adapters: the response for a body that a framework has read or parsed already.
   *
   * @param hint - Which line of the user's code to move.
   */
  rejectParsedBody(hint: string): Rejection;
}
