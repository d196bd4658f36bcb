import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { type Job, MAX_ATTEMPTS } from "../inbox/types.ts";
import { eventIn } from "../verification/payload.ts";
import type { ReceiverSettings } from "./check-options.ts";
import type { HandlerContext, Handlers, WebhookHandler } from "./handlers.ts";
import { PaymentEvidence } from "./payment-evidence.ts";

/** Processes the jobs that the inbox of a receiver hands out. */
export class JobProcessor {
  readonly #handlers: Handlers;
  readonly #settings: ReceiverSettings;
  readonly #evidence: PaymentEvidence;
  /** The kinds that were reported as having no handler. */
  readonly #reported = new Set<string>();

  constructor(handlers: Handlers, settings: ReceiverSettings) {
    this.#handlers = handlers;
    this.#settings = settings;
    this.#evidence = new PaymentEvidence(settings);
  }

  /** Rejects for a failed attempt. */
  async run(job: Job): Promise<void> {
    // The body was verified and parsed before it was stored.
    const event = eventIn(job.raw);
    // Part of the job: where the process dies before it is done, it is done again.
    const evidence = this.#evidence.use(event);
    try {
      await this.#handle(event, job);
    } finally {
      await evidence;
    }
  }

  async #handle(event: WebhookEvent, job: Job): Promise<void> {
    if (this.#handlers.isIgnored(event.event)) return;
    const handler = this.#handlers.find(event.event);
    if (handler === undefined) {
      this.#reportUnhandled(event.event);
      return;
    }
    try {
      await runHandler(handler, event, job, this.#settings.handlerTimeoutMs);
    } catch (error) {
      const { key: idempotencyKey, attempt } = job;
      const willRetry = attempt < MAX_ATTEMPTS;
      this.#settings.onError(error, { event: event.event, idempotencyKey, attempt, willRetry });
      throw error;
    }
  }

  #reportUnhandled(kind: string): void {
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    this.#settings.onError(
      new ConfigurationError(
        `No handler is registered for ${kind}: such events are acknowledged and dropped. Register one with on() or onOther().`,
      ),
    );
  }
}

/** Rejects where the handler does, where it takes too long, and where the job is lost. */
async function runHandler(
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
