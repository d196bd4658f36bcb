import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { isLastAttempt, NoTransactionError } from "../inbox/errors.ts";
import type { Job, Transaction } from "../inbox/types.ts";
import { readEvent } from "../verification/payload.ts";
import type { ReceiverSettings } from "./check-options.ts";
import type { HandlerContext, Handlers, WebhookHandler } from "./handlers.ts";
import { callHook, type ProcessResult, runObserved } from "./hooks.ts";
import { merchantOf, traceOf } from "./merchants/job-merchant.ts";
import type { PaymentEvidence } from "./payment-evidence.ts";

/** Processes the jobs that the inbox of a receiver hands out. */
export class JobProcessor {
  readonly #handlers: Handlers;
  readonly #settings: ReceiverSettings;
  readonly #evidence: PaymentEvidence;

  constructor(handlers: Handlers, settings: ReceiverSettings, evidence: PaymentEvidence) {
    this.#handlers = handlers;
    this.#settings = settings;
    this.#evidence = evidence;
  }

  /** Rejects for a failed attempt. */
  async run(job: Job): Promise<void> {
    // The body was verified and parsed before it was stored.
    const { event } = readEvent(job.raw);
    const observation = callHook(this.#settings.hooks.process, {
      event: event.event,
      idempotencyKey: job.key,
      attempt: job.attempt,
      receivedAt: job.receivedAt,
      bodyBytes: job.raw.length,
      traceContext: traceOf(job.traceContext),
    });
    if (observation === undefined) return this.#process(event, job);
    const started = performance.now();
    const end = (result: Omit<ProcessResult, "durationMs">) =>
      callHook((ended: ProcessResult) => observation.end?.(ended), {
        ...result,
        durationMs: performance.now() - started,
      });
    try {
      await runObserved(observation, () => this.#process(event, job));
    } catch (error) {
      end({ error, willRetry: !isLastAttempt(job.attempt, error) });
      throw error;
    }
    end({ willRetry: false });
  }

  async #process(event: WebhookEvent, job: Job): Promise<void> {
    // Part of the job: where the process dies before it is done, it is done again.
    const evidence = this.#evidence.use(event, merchantOf(job.traceContext));
    try {
      await this.#handle(event, job);
    } finally {
      await evidence;
    }
  }

  async #handle(event: WebhookEvent, job: Job): Promise<void> {
    if (this.#handlers.isIgnored(event.event)) return;
    try {
      const handler = this.#handlers.find(event.event);
      if (handler === undefined) throw notTaken(event.event);
      await runHandler(handler, event, job, this.#settings.handlerTimeoutMs);
    } catch (error) {
      const { key: idempotencyKey, attempt } = job;
      const willRetry = !isLastAttempt(attempt, error);
      this.#settings.onError(error, { event: event.event, idempotencyKey, attempt, willRetry });
      throw error;
    }
  }
}

const notTaken = (kind: string): ConfigurationError =>
  new ConfigurationError(
    `This process has no handler for ${JSON.stringify(kind)}, and the inbox gave it such an event. An inbox must give a process only events of the \`queues\` that its worker options name.`,
  );

const noTransaction: Transaction = async () => {
  throw new NoTransactionError();
};

/** Rejects where the handler does, where it takes too long, and where the job is lost. */
async function runHandler(
  handler: WebhookHandler,
  event: WebhookEvent,
  {
    key,
    attempt,
    signal: lost,
    transaction = noTransaction,
    traceContext,
    source = "webhook",
  }: Job,
  timeoutMs: number,
): Promise<void> {
  lost.throwIfAborted();
  const controller = new AbortController();
  const merchant = merchantOf(traceContext);
  const context: HandlerContext = {
    attempt,
    signal: controller.signal,
    idempotencyKey: key,
    source,
    ...(merchant !== undefined && { merchant }),
    transaction,
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: unknown) => {
      controller.abort(reason);
      reject(reason);
    };
    const onLost = () => fail(lost.reason);
    const timer = setTimeout(
      () => fail(new Error(`The handler took longer than handlerTimeoutMs (${timeoutMs} ms).`)),
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
