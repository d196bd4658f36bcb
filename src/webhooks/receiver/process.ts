import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { linkedController } from "../../internal/linked-controller.ts";
import { merchantOf } from "../inbox/delivery.ts";
import { isLastAttempt, NoTransactionError } from "../inbox/errors.ts";
import type { Job, Transaction } from "../inbox/inbox-types.ts";
import { readEvent } from "../verification/payload.ts";
import type { HandlerContext, Handlers, WebhookHandler } from "./handlers.ts";
import { traceOf } from "./merchants/merchant-request.ts";
import { PaymentEvents } from "./payment-events.ts";
import { observed, type ProcessResult } from "./receiver-hooks.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";

/** Processes the jobs that the inbox of a receiver hands out. */
export class JobProcessor {
  readonly #handlers: Handlers;
  readonly #settings: ReceiverSettings;
  readonly #payments: PaymentEvents;

  constructor(handlers: Handlers, settings: ReceiverSettings) {
    this.#handlers = handlers;
    this.#settings = settings;
    this.#payments = new PaymentEvents(settings);
  }

  /** Rejects for a failed attempt. */
  async run(job: Job): Promise<void> {
    // The body was verified and parsed before it was stored.
    const { event } = readEvent(job.raw);
    const result = await observed(
      this.#settings.hooks.process,
      () => ({
        event: event.event,
        idempotencyKey: job.key,
        attempt: job.attempt,
        receivedAt: job.receivedAt,
        bodyBytes: job.raw.length,
        traceContext: traceOf(job.traceContext),
      }),
      () => this.#attempt(event, job),
      (ended) => ended,
    );
    if ("error" in result) throw result.error;
  }

  async #attempt(event: WebhookEvent, job: Job): Promise<Omit<ProcessResult, "durationMs">> {
    // Part of the job: if the process dies before it is done, it is done again.
    const used = this.#payments.use(event, merchantOf(job.traceContext));
    try {
      await this.#handle(event, job);
      return { willRetry: false };
    } catch (error) {
      const { key: idempotencyKey, attempt } = job;
      const willRetry = !isLastAttempt(attempt, error);
      this.#settings.onError(error, { event: event.event, idempotencyKey, attempt, willRetry });
      return { error, willRetry };
    } finally {
      await used;
    }
  }

  async #handle(event: WebhookEvent, job: Job): Promise<void> {
    if (this.#handlers.isIgnored(event.event)) return;
    const handler = this.#handlers.find(event.event);
    if (handler === undefined) {
      throw new ConfigurationError(
        `This process has no handler for ${JSON.stringify(event.event)}, and the inbox gave it such an event. An inbox must give a process only events of the \`kinds\` that its worker options name.`,
      );
    }
    await runHandler(handler, event, job, this.#settings.handlerTimeoutMs);
  }
}

const noTransaction: Transaction = async () => {
  throw new NoTransactionError();
};

/** Rejects if the handler does, if it takes too long, and if the job is lost. */
async function runHandler(
  handler: WebhookHandler,
  event: WebhookEvent,
  { key, attempt, signal: lost, transaction = noTransaction, ...job }: Job,
  timeoutMs: number,
): Promise<void> {
  lost.throwIfAborted();
  const { controller, unlink } = linkedController(lost);
  const { signal } = controller;
  const merchant = merchantOf(job.traceContext);
  const context: HandlerContext = {
    attempt,
    signal,
    idempotencyKey: key,
    source: job.source ?? "webhook",
    ...(merchant !== undefined && { merchant }),
    transaction,
  };
  const timer = setTimeout(
    () =>
      controller.abort(
        new Error(`The handler took longer than handlerTimeoutMs (${timeoutMs} ms).`),
      ),
    timeoutMs,
  );
  try {
    await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      // In a promise, since a handler may throw before it returns one.
      Promise.resolve()
        .then(() => handler(event, context))
        .then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
