import type { EventKind, KnownWebhookEvent, WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { checkWholeNumber, ownOptions } from "../../internal/check-options.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { cannot, receiverStopped } from "../inbox/errors.ts";
import type { Conflict, DeadLetter } from "../inbox/event-list.ts";
import type {
  DrainLimits,
  DrainResult,
  Inbox,
  InboxStats,
  TraceContext,
  WorkerOptions,
} from "../inbox/types.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";
import {
  acceptDelivery,
  type Outcome,
  rejectByHeaders,
  rejected,
  rejectWith,
  unavailable,
  type WebhookRequest,
} from "./accept.ts";
import { checkReceiverOptions, type ReceiverSettings } from "./check-options.ts";
import { Handlers, type WebhookHandler } from "./handlers.ts";
import { observeReceive, reportReceived } from "./observe-receive.ts";
import type { WebhookReceiverOptions } from "./options.ts";
import { PaymentEvidence } from "./payment-evidence.ts";
import { JobProcessor } from "./process.ts";
import { type Rejection, reject, type WebhookResponse } from "./responses.ts";
import { type SweepResult, sweepPayments } from "./sweep.ts";
import { UnhandledKinds } from "./unhandled-kinds.ts";
import {
  type DoublePayments,
  doublePayments,
  inboxStats,
  type WaitingEvents,
  waitingEvents,
} from "./waiting-events.ts";

/** See {@link createWebhookReceiver}. */
export interface WebhookReceiver {
  /** Registers the handler for one kind of event. One for each kind, before `start()`. */
  on<Kind extends EventKind>(kind: Kind, handler: WebhookHandler<KnownWebhookEvent<Kind>>): void;
  /** Registers the handler for every kind without one of its own, known or not. Before `start()`. */
  onOther(handler: WebhookHandler): void;
  /** Begins to process. Until then, deliveries are stored and acknowledged. */
  start(): Promise<void>;
  /**
   * Accepts nothing new, lets running handlers end, and hands the rest back.
   *
   * @param options - `timeoutMs`: how long to wait for running handlers. Set it below the time that
   * your platform gives a process to shut down. Default: 30_000.
   */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /**
   * Processes what is due now, and returns: for functions and cron jobs, which have no process that
   * keeps running. Use it instead of `start()`; other processes may do either at the same time. If the
   * process is killed meanwhile, nothing is lost.
   *
   * @param options - `timeoutMs`: when to return even if more is due; handlers that still run are aborted
   * and their events handed back. Set it below the time that your platform gives a function. Default:
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
  /** Events whose 12 attempts failed, and that were neither requeued nor dropped. */
  readonly deadLetters: WaitingEvents<DeadLetter>;
  /**
   * Deliveries whose event was stored before with other `data`, and that were neither requeued nor
   * dropped. A requeued one is processed as an event of its own.
   */
  readonly conflicts: WaitingEvents<Conflict>;
  /**
   * Pairs of completed payments that look like the same money twice: see `onDoublePayment`. Each pair is
   * listed until a person drops it.
   */
  readonly doublePayments: DoublePayments;
  /**
   * What the inbox holds, for a health route. It takes a few milliseconds for each 100,000 stored
   * events. Rejects where an inbox of your own cannot count.
   */
  stats(): Promise<InboxStats>;
  /** The largest body that is accepted, in bytes: adapters stop reading there. */
  readonly maxBodyBytes: number;
  /**
   * For adapters, before they read a body: the response where the headers already decide (a
   * `Content-Length` that is too large, no usable signature, a receiver that has stopped), else
   * `undefined`.
   *
   * @param url - As in the request. Only hooks need it.
   */
  rejectUnread(headers: WebhookHeaders, url?: string): Rejection | undefined;
  /**
   * For adapters: the response for a body that a framework has read or parsed already.
   *
   * @param hint - Which line of the user's code to move.
   */
  rejectParsedBody(hint: string): Rejection;
}

/** A receiver's life: it starts once and stops once. */
class Receiver {
  readonly #settings: ReceiverSettings;
  readonly handlers: Handlers;
  readonly #evidence: PaymentEvidence;
  readonly #unhandled: UnhandledKinds;
  #state: "new" | "started" | "stopped" = "new";
  /** Deliveries that are being stored, and evidence that is being used. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #processor: JobProcessor;
  readonly #stopped = new AbortController();
  #draining: Promise<DrainResult> | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
    this.#evidence = new PaymentEvidence(settings);
    const isFixed = () => this.#state !== "new" || this.#draining !== undefined;
    this.handlers = new Handlers(isFixed, settings.ignore);
    this.#processor = new JobProcessor(this.handlers, settings, this.#evidence);
    this.#unhandled = new UnhandledKinds(settings.onUnhandled);
  }

  async handle(request: WebhookRequest): Promise<WebhookResponse> {
    const { receive } = this.#settings.hooks;
    const { response } =
      receive === undefined
        ? await this.#receive(request)
        : await observeReceive(receive, request, (trace) => this.#receive(request, trace));
    return response;
  }

  async #receive(request: WebhookRequest, trace?: TraceContext): Promise<Outcome> {
    if (this.#state === "stopped") return unavailable("stopping");
    let work: Promise<Outcome> | undefined;
    try {
      if (request.method !== "POST") return rejected(reject(405, "POST only", { allow: "POST" }));
      work = acceptDelivery(request, this.#settings, trace, this.#noteNew);
      this.#running.add(work);
      return await work;
    } catch (error) {
      return rejected(rejectWith(error, this.#settings), error);
    } finally {
      if (work !== undefined) this.#running.delete(work);
    }
  }

  readonly #noteNew = (event: WebhookEvent, merchant: string | undefined): void => {
    // This process uses the event as a part of its processing.
    if (this.handlers.takes(event.event)) return;
    this.#unhandled.note(event.event);
    const work = this.#evidence.use(event, merchant).finally(() => this.#running.delete(work));
    this.#running.add(work);
  };

  rejectUnread(headers: WebhookHeaders, url?: string): Rejection | undefined {
    const outcome =
      this.#state === "stopped"
        ? unavailable("stopping")
        : rejectByHeaders(headers, this.#settings);
    if (outcome === undefined) return undefined;
    reportReceived(this.#settings.hooks.receive, { method: "POST", headers, url }, outcome);
    return outcome.response as Rejection;
  }

  rejectParsedBody(hint: string): Rejection {
    const message = `Something read or parsed the body before the receiver. ${hint}`;
    return rejectWith(new WebhookVerificationError("body_not_raw", message, 500), this.#settings);
  }

  async start(): Promise<void> {
    if (this.#state !== "new") {
      throw new ConfigurationError(
        `The receiver was ${this.#state} already. Create a new one with createWebhookReceiver().`,
      );
    }
    this.#state = "started";
    this.#starting = this.#startInbox();
    try {
      await this.#starting;
    } catch (error) {
      if (this.#state === "started") this.#state = "new";
      throw error;
    }
  }

  // Async, since an inbox may throw before it returns a promise.
  async #startInbox(): Promise<void> {
    const { inbox } = this.#settings;
    await inbox.start(this.#workerOptions());
    this.#unhandled.start((kind) => this.handlers.takes(kind));
  }

  #workerOptions(): WorkerOptions {
    const { concurrency, onError } = this.#settings;
    return {
      run: (job) => this.#processor.run(job),
      concurrency,
      onError,
      queues: this.handlers.queues(),
    };
  }

  async drain(
    options: { timeoutMs?: number | undefined; limit?: number | undefined } = {},
  ): Promise<DrainResult> {
    const own = ownOptions(options, ["timeoutMs", "limit"], "receiver.drain");
    const timeoutMs = checkWholeNumber("timeoutMs", own.timeoutMs ?? 10_000, 1);
    const limit = checkWholeNumber("limit", own.limit ?? 1_000, 1);
    if (this.#state !== "new") {
      throw new ConfigurationError(
        `The receiver was ${this.#state} already. drain() is for a process that does not call start().`,
      );
    }
    if (this.#settings.inbox.drain === undefined) throw cannot("process what is due and return");
    const deadline = performance.now() + timeoutMs;
    // One after another: a function may be called again while it drains.
    const before = this.#draining;
    const draining = (async () => {
      if (before !== undefined) await waitAtMost(Promise.allSettled([before]), timeoutMs);
      return this.#drainInbox({ timeoutMs: Math.max(1, deadline - performance.now()), limit });
    })();
    this.#draining = draining;
    return draining;
  }

  async #drainInbox(limits: DrainLimits): Promise<DrainResult> {
    this.#unhandled.start((kind) => this.handlers.takes(kind));
    const drain = this.#settings.inbox.drain as NonNullable<Inbox["drain"]>;
    return drain(this.#workerOptions(), limits);
  }

  async sweep(
    references: Iterable<string> | AsyncIterable<string>,
    options: { merchant?: string | undefined } = {},
  ): Promise<SweepResult> {
    const { merchant } = ownOptions(options, ["merchant"], "receiver.sweep");
    const payments = this.#settings.paymentsOf(merchant);
    if (payments === undefined) {
      throw new ConfigurationError(
        "sweep() reads payments: pass `payments: gateway.payments` to createWebhookReceiver; with `merchant`, a function that returns those of a merchant.",
      );
    }
    const { signal } = this.#stopped;
    const settings = this.#settings;
    return sweepPayments(references, {
      payments,
      settings,
      merchant,
      signal,
      onNew: this.#noteNew,
    });
  }

  async stop(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    const own = ownOptions(options, ["timeoutMs"], "receiver.stop");
    const timeoutMs = checkWholeNumber("timeoutMs", own.timeoutMs ?? 30_000, 0);
    this.#state = "stopped";
    this.#stopped.abort(receiverStopped());
    this.#stopping ??= this.#stopInbox(timeoutMs);
    await this.#stopping;
  }

  async #stopInbox(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    // What was taken is stored before the inbox closes.
    await waitAtMost(Promise.allSettled([this.#starting, ...this.#running]), timeoutMs);
    await this.#settings.inbox.stop(Math.max(0, deadline - performance.now()));
  }
}

/**
 * Receives webhooks so that none is lost and none is processed twice: each delivery is verified,
 * stored, and only then acknowledged; then your handlers process it, with retries. A handler may run
 * again for an event during which its process died: `idempotencyKey`, or `transaction`, keeps the
 * effect at one.
 *
 * Mount it with the adapter for your framework: `malipo/fetch`, `malipo/node`, `malipo/fastify`,
 * `malipo/lambda`.
 *
 * @throws {ConfigurationError} for an empty secret, an unknown option or a wrong value.
 * @see docs/service.md, "Events and deliveries"
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { sqliteInbox } from "malipo/inbox/sqlite";
 * import { fetchHandler } from "malipo/fetch";
 *
 * const receiver = createWebhookReceiver({ secret, inbox: sqliteInbox("inbox.db") });
 * receiver.on("payment.completed", async (event, { idempotencyKey }) => {
 *   await ship(event.data.account_reference, idempotencyKey);
 * });
 * await receiver.start();
 * export const POST = fetchHandler(receiver);
 * ```
 */
export function createWebhookReceiver(options: WebhookReceiverOptions = {}): WebhookReceiver {
  const settings = checkReceiverOptions(options);
  const { inbox, maxBodyBytes } = settings;
  const receiver = new Receiver(settings);
  // Functions of their own, so that each may be passed on without the object.
  return {
    maxBodyBytes,
    on: (kind, handler) => receiver.handlers.add(kind, handler),
    onOther: (handler) => receiver.handlers.addOther(handler),
    start: () => receiver.start(),
    stop: (stopOptions) => receiver.stop(stopOptions),
    drain: (drainOptions) => receiver.drain(drainOptions),
    sweep: (references, sweepOptions) => receiver.sweep(references, sweepOptions),
    handle: (request) => receiver.handle(request),
    rejectUnread: (headers, url) => receiver.rejectUnread(headers, url),
    rejectParsedBody: (hint) => receiver.rejectParsedBody(hint),
    stats: async () => inboxStats(inbox),
    deadLetters: waitingEvents("dead letters", inbox.deadLetters),
    conflicts: waitingEvents("conflicts", inbox.conflicts),
    doublePayments: doublePayments(inbox),
  };
}
