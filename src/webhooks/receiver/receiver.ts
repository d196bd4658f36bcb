import { ConfigurationError } from "../../errors/configuration.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { checkOptions, checkWholeNumber, type OptionRows } from "../../internal/check-options.ts";
import { waitAtMost } from "../../internal/timeout.ts";
import { receiverStopped, required } from "../inbox/errors.ts";
import type { DrainResult, TraceContext, WorkerOptions } from "../inbox/inbox-types.ts";
import {
  acceptDelivery,
  type Outcome,
  type ReadRequest,
  rejectByHeaders,
  rejected,
  rejectWith,
  unavailable,
  viewOf,
  type WebhookRequest,
} from "./accept.ts";
import { type BodyStream, isStream, type ReadBody, readBody } from "./body-stream.ts";
import { Turn } from "./evaluated-again.ts";
import { Handlers } from "./handlers.ts";
import { JobProcessor } from "./process.ts";
import { observed } from "./receiver-hooks.ts";
import type { WebhookReceiverOptions } from "./receiver-options.ts";
import { checkReceiverOptions, type ReceiverSettings } from "./receiver-settings.ts";
import { sweepPayments } from "./sweep.ts";
import { doublePayments, pendingEvents, waitingEvents } from "./waiting-events.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";
import { reject } from "./webhook-responses.ts";

type OptionsOf<Method extends "drain" | "stop"> = NonNullable<
  Parameters<WebhookReceiver[Method]>[0]
>;

const DRAIN_OPTIONS = {
  timeoutMs: (ms = 10_000) => checkWholeNumber("timeoutMs", ms, 1),
  limit: (limit = 1_000) => checkWholeNumber("limit", limit, 1),
} satisfies OptionRows<OptionsOf<"drain">>;

const SWEEP_OPTIONS = {
  /** `payments` finds the account of it. */
  merchant: (merchant) => merchant,
} satisfies OptionRows<NonNullable<Parameters<WebhookReceiver["sweep"]>[1]>>;

/** How long running handlers may take. */
const STOP_MS = 30_000;

const STOP_OPTIONS = {
  timeoutMs: (ms = STOP_MS) => checkWholeNumber("timeoutMs", ms, 0),
} satisfies OptionRows<OptionsOf<"stop">>;

/** What starts and stops with a receiver that is a part of something. */
export interface Whole {
  /** Starts the receiver, too. */
  readonly start: () => Promise<void>;
  /** Stops only the rest. */
  readonly stopRest: () => Promise<void>;
}

/** A receiver's life: it starts once and stops once. Its methods may be passed on without it. */
class Receiver implements WebhookReceiver {
  readonly #settings: ReceiverSettings;
  readonly #handlers: Handlers;
  readonly #processor: JobProcessor;
  #state: "new" | "started" | "stopped" = "new";
  /** Deliveries that are being stored. */
  readonly #accepting = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();
  #draining: Promise<DrainResult> | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  readonly #whole: Whole;
  readonly #turn: Turn;
  #takingOver: Promise<void> | undefined;
  /** The receiver that its module has made when it was evaluated again. */
  #successor: Pick<WebhookReceiver, "handle"> | undefined;
  readonly waiting: WebhookReceiver["waiting"];
  readonly deadLetters: WebhookReceiver["deadLetters"];
  readonly conflicts: WebhookReceiver["conflicts"];
  readonly doublePayments: WebhookReceiver["doublePayments"];

  constructor(settings: ReceiverSettings, whole?: Whole) {
    const { inbox } = settings;
    const isFixed = () => this.#state !== "new" || this.#draining !== undefined;
    this.#settings = settings;
    this.#handlers = new Handlers(isFixed, settings);
    this.#processor = new JobProcessor(this.#handlers, settings);
    this.#whole = whole ?? { start: () => this.start(), stopRest: async () => {} };
    const own = {
      kinds: () => this.#handlers.kinds(),
      leaveTo: (successor: Pick<WebhookReceiver, "handle">) => this.#leaveTo(successor),
      handle: (request: WebhookRequest) => this.handle(request),
    };
    this.#turn = new Turn(own, inbox.place);
    this.waiting = pendingEvents(inbox);
    this.deadLetters = waitingEvents("dead letters", inbox.deadLetters);
    this.conflicts = waitingEvents("conflicts", inbox.conflicts);
    this.doublePayments = doublePayments(inbox);
  }

  readonly on: WebhookReceiver["on"] = (kind, handler) => this.#handlers.add(kind, handler);

  readonly onOther: WebhookReceiver["onOther"] = (handler) => this.#handlers.addOther(handler);

  readonly stats: WebhookReceiver["stats"] = async () => {
    const { inbox } = this.#settings;
    return required(inbox.stats, "count what it holds").call(inbox);
  };

  readonly handle: WebhookReceiver["handle"] = async (request) => {
    if (this.#isDueAgain()) await this.takeOver();
    if (this.#successor !== undefined && this.#state !== "stopped") {
      return this.#successor.handle(request);
    }
    // Plain JavaScript may call without a request.
    const { body: given } = Object(request) as WebhookRequest;
    const { body, outcome } = isStream(given) ? await this.#read(request, given) : { body: given };
    const read = { ...request, body };
    const { response } = await observed(
      this.#settings.hooks.receive,
      () => viewOf(read),
      (seen) =>
        outcome === undefined ? this.#receive(read, seen?.traceContext) : Promise.resolve(outcome),
      ({ response, ...result }) => ({ ...result, status: response.status }),
    );
    return response;
  };

  /** Reads a body, unless it is clear before that its request is rejected. */
  async #read({ method, headers }: WebhookRequest, stream: BodyStream): Promise<ReadBody> {
    const settings = this.#settings;
    const rejection = this.#rejectEarly(method) ?? rejectByHeaders(headers, settings);
    return readBody(stream, settings, rejection);
  }

  #rejectEarly(method: string): Outcome | undefined {
    if (this.#state === "stopped") return unavailable("stopping");
    return method === "POST" ? undefined : rejected(reject(405, "POST only", { allow: "POST" }));
  }

  async #receive(request: ReadRequest, trace: TraceContext | undefined): Promise<Outcome> {
    const rejection = this.#rejectEarly(request.method);
    if (rejection !== undefined) return rejection;
    const work = acceptDelivery(request, this.#settings, this.#handlers, trace);
    this.#accepting.add(work);
    try {
      return await work;
    } catch (error) {
      return rejected(rejectWith(error, this.#settings), error);
    } finally {
      this.#accepting.delete(work);
    }
  }

  readonly rejectParsedBody: WebhookReceiver["rejectParsedBody"] = (hint) => {
    const message = `Something read or parsed the body before the receiver. ${hint}`;
    return rejectWith(new WebhookVerificationError("body_not_raw", message, 500), this.#settings);
  };

  /** @throws {ConfigurationError} if the receiver is not new. */
  #checkNew(advice: string): void {
    if (this.#state === "new") return;
    throw new ConfigurationError(`The receiver was ${this.#state} already. ${advice}`);
  }

  readonly start: WebhookReceiver["start"] = async () => {
    const hasTakenOver = this.#takingOver !== undefined && this.#state === "started";
    if (hasTakenOver) return this.#starting;
    this.#checkNew("Create a new one with createWebhookReceiver().");
    this.#state = "started";
    this.#starting = this.#startInbox();
    try {
      await this.#starting;
    } catch (error) {
      if (this.#state === "started") this.#state = "new";
      throw error;
    }
  };

  // Async, since an inbox may throw before it returns a promise.
  async #startInbox(): Promise<void> {
    const leaving = this.#turn.take();
    if (leaving !== undefined) await leaving;
    try {
      await this.#settings.inbox.start(this.#workerOptions());
    } catch (error) {
      this.#turn.release();
      throw error;
    }
    this.#handlers.complete();
  }

  /** Whether one of a former evaluation of its module runs: in Next, nothing starts this one after an edit. */
  #isDueAgain(): boolean {
    return this.#state === "new" && this.#draining === undefined && this.#turn.isTaken();
  }

  /** Starts it if a former one runs. Never rejects. */
  readonly takeOver = async (): Promise<void> => {
    if (this.#isDueAgain()) {
      this.#takingOver ??= this.#whole.start().catch((error) => this.#settings.onError(error));
    }
    await this.#takingOver;
  };

  async #leaveTo(successor: Pick<WebhookReceiver, "handle">): Promise<void> {
    this.#successor = successor;
    await this.#whole.stopRest();
    this.#stopping ??= this.#stopInbox(STOP_MS);
    await this.#stopping;
  }

  #workerOptions(): WorkerOptions {
    const { concurrency, onError } = this.#settings;
    const kinds = this.#handlers.kinds();
    return { run: (job) => this.#processor.run(job), concurrency, onError, kinds };
  }

  readonly drain: WebhookReceiver["drain"] = async (options = {}) => {
    const { timeoutMs, limit } = checkOptions(options, DRAIN_OPTIONS, "receiver.drain");
    this.#checkNew("drain() is for a process that does not call start().");
    const { inbox } = this.#settings;
    const drainInbox = required(inbox.drain, "process what is due and return");
    const deadline = performance.now() + timeoutMs;
    // One after another: a function may be called again while it drains.
    const before = this.#draining;
    const drain = async () => {
      if (before !== undefined) await waitAtMost(Promise.allSettled([before]), timeoutMs);
      this.#handlers.complete();
      const limits = { timeoutMs: Math.max(1, deadline - performance.now()), limit };
      return drainInbox.call(inbox, this.#workerOptions(), limits);
    };
    this.#draining = drain();
    return this.#draining;
  };

  readonly sweep: WebhookReceiver["sweep"] = async (references, options = {}) => {
    const { merchant } = checkOptions(options, SWEEP_OPTIONS, "receiver.sweep");
    const settings = this.#settings;
    const payments = settings.payments(merchant);
    if (payments === undefined) {
      throw new ConfigurationError(
        "sweep() reads payments: pass `payments: gateway.payments` to createWebhookReceiver; with `merchant`, a function that returns those of a merchant.",
      );
    }
    const { signal } = this.#stopped;
    const handlers = this.#handlers;
    return sweepPayments(references, { payments, settings, handlers, merchant, signal });
  };

  readonly stop: WebhookReceiver["stop"] = async (options = {}) => {
    const { timeoutMs } = checkOptions(options, STOP_OPTIONS, "receiver.stop");
    this.#state = "stopped";
    this.#stopped.abort(receiverStopped());
    this.#stopping ??= this.#stopInbox(timeoutMs);
    await this.#stopping;
  };

  async #stopInbox(timeoutMs: number): Promise<void> {
    this.#turn.release();
    const deadline = performance.now() + timeoutMs;
    // What was taken is stored before the inbox closes.
    await waitAtMost(Promise.allSettled([this.#starting, ...this.#accepting]), timeoutMs);
    await this.#settings.inbox.stop(Math.max(0, deadline - performance.now()));
  }
}

/**
 * Receives webhooks so that none is lost and none is processed twice: each delivery is verified,
 * stored, and only then acknowledged; then your handlers process it, with retries. A handler may run
 * again for an event during which its process died: pass `idempotencyKey` on, or use
 * `transaction`, so that it has one effect.
 *
 * Mount it with the adapter for your framework: `malipo/fetch`, `malipo/node`, `malipo/fastify`,
 * `malipo/lambda`.
 *
 * @throws {ConfigurationError} for an empty secret, an unknown option or a wrong value.
 * @see docs/reference/events.md, "Events and deliveries"
 *
 * @example
 * ```ts
 * import { fetchHandler } from "malipo/fetch";
 * import { sqlite } from "malipo/sqlite";
 * import { createWebhookReceiver } from "malipo/webhooks";
 *
 * const receiver = createWebhookReceiver({ secret, inbox: sqlite("data/shop.db") });
 * receiver.on("payment.completed", async (event, { idempotencyKey }) => {
 *   await ship(event.data.account_reference, idempotencyKey);
 * });
 * await receiver.start();
 * export const POST = fetchHandler(receiver);
 * ```
 */
export function createWebhookReceiver(options: WebhookReceiverOptions = {}): WebhookReceiver {
  return new Receiver(checkReceiverOptions(options));
}

/** A receiver that is a part of something. */
export const createPartReceiver = (
  options: WebhookReceiverOptions,
  whole: Whole,
): WebhookReceiver & { takeOver(): Promise<void> } =>
  new Receiver(checkReceiverOptions(options), whole);
