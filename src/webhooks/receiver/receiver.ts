import type { EventKind, KnownWebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { type DeadLetter, type Job, MOST_ATTEMPTS, type Receipt } from "../inbox/types.ts";
import { eventIn } from "../verification/payload.ts";
import { type RawBody, rawBody } from "../verification/raw-body.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";
import { verifyDelivery } from "../verification/verify.ts";
import { identityOf } from "./event-identity.ts";
import { createHandlers, type WebhookHandler, work } from "./handlers.ts";
import { settingsOf, type WebhookReceiverOptions, wholeNumber } from "./options.ts";
import { acknowledge, type Refusal, type Reply, refuse } from "./responses.ts";

/** A request as adapters hand it over. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: WebhookHeaders;
  /** The raw bytes, or a string that stands for its UTF-8 bytes. */
  readonly body: RawBody;
}

/** See {@link createWebhookReceiver}. */
export interface WebhookReceiver {
  /** Handles one kind of event. Once a kind, before `start()`. */
  on<Kind extends EventKind>(kind: Kind, handler: WebhookHandler<KnownWebhookEvent<Kind>>): void;
  /** Handles every kind without a handler of its own, known or not. Before `start()`. */
  onOther(handler: WebhookHandler): void;
  /** Begins to work off. Before it, deliveries are stored and acknowledged, and wait. */
  start(): Promise<void>;
  /**
   * Takes nothing new, lets running handlers end, and hands the rest back.
   *
   * @param options - `timeoutMs`: how long running handlers are waited for. Default: 30_000.
   */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /** What an adapter calls. Never rejects. A 200 means stored. */
  handle(request: WebhookRequest): Promise<Reply>;
  /** Events that were given up after 12 attempts. */
  readonly deadLetters: {
    /** What was given up and not requeued since. */
    list(): Promise<DeadLetter[]>;
    /** Works one again, as new. */
    requeue(id: string): Promise<void>;
  };
  /** The largest body that is taken: for adapters, which stop reading there. */
  readonly maxBodyBytes: number;
  /** For adapters: refuses a body that a framework has read or parsed, and says which line to move. */
  refuseUnraw(hint: string): Refusal;
}

/** Waits for the end of something, for so long at most. */
async function within(timeoutMs: number, end: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([end, late]);
  clearTimeout(timer);
}

/**
 * Receives webhooks so that none is lost and no repeat is worked: each is verified, stored, and only
 * then acknowledged; then worked off by your handlers, with retries. A handler may run again for an
 * event that it died over: `idempotencyKey`, or `transaction`, keeps the effect at one.
 *
 * Mount it with the adapter of your framework: `malipo/fetch`, `malipo/node`, `malipo/fastify`,
 * `malipo/lambda`.
 *
 * @throws {ConfigurationError} where the secret is empty or an option is wrong.
 * @see Service interface, section 6.
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
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const settings = settingsOf(options);
  const { secret, inbox, maxBodyBytes, maxAgeSeconds, onError, onConflict, notify } = settings;
  const { concurrency, handlerTimeoutMs } = settings;
  let life: "new" | "started" | "stopped" = "new";
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  const accepting = new Set<Promise<Reply>>();
  const handlers = createHandlers(() => life !== "new");
  const unhandled = new Set<string>();

  function refuseError(error: unknown): Refusal {
    onError(error);
    if (!(error instanceof WebhookVerificationError)) return refuse(500, "the receiver failed");
    return refuse(error.status, error.code.replaceAll("_", " "));
  }

  async function accept({ headers, body }: WebhookRequest): Promise<Reply> {
    const given = rawBody(body);
    // No text is longer in characters than in bytes: what is too large is not even encoded.
    if (given.length > maxBodyBytes) return refuse(413, "too large");
    // A copy: what is verified is what is stored, whatever the caller does with its buffer meanwhile.
    const raw = typeof given === "string" ? new TextEncoder().encode(given) : given.slice();
    if (raw.length > maxBodyBytes) return refuse(413, "too large");
    const { event, secretIndex } = verifyDelivery({ body: raw, headers, secret, maxAgeSeconds });
    const identity = identityOf(event, raw);
    let receipt: Receipt;
    try {
      const receivedAt = Date.now();
      receipt = await inbox.accept({
        ...identity,
        event: event.event,
        raw,
        secretIndex,
        receivedAt,
      });
    } catch (error) {
      onError(error);
      return refuse(503, "cannot be stored now", { "retry-after": "10" });
    }
    if (receipt.standing === "conflict") onConflict(event);
    const { reference } = event.data;
    if (typeof reference === "string" || typeof reference === "number") notify(String(reference));
    return acknowledge(receipt);
  }

  async function run(job: Job): Promise<void> {
    // It was verified and parsed before it was stored.
    const event = eventIn(job.raw);
    const handler = handlers.of(event.event);
    if (handler !== undefined) {
      try {
        await work(handler, event, job, handlerTimeoutMs);
      } catch (error) {
        const { key: idempotencyKey, attempt } = job;
        const willRetry = attempt < MOST_ATTEMPTS;
        onError(error, { event: event.event, idempotencyKey, attempt, willRetry });
        throw error;
      }
    } else if (!unhandled.has(event.event)) {
      unhandled.add(event.event);
      const message = `No handler for ${event.event}: such events are taken and done. Add on() or onOther().`;
      onError(new ConfigurationError(message));
    }
  }

  return {
    maxBodyBytes,
    on: handlers.on,
    onOther: handlers.onOther,
    refuseUnraw: (hint) =>
      refuseError(
        new WebhookVerificationError(
          "body_not_raw",
          `Something read or parsed the body before the receiver. ${hint}`,
          500,
        ),
      ),
    handle: async (request) => {
      try {
        if (life === "stopped") return refuse(503, "stopping", { "retry-after": "10" });
        if (request.method !== "POST") return refuse(405, "POST only", { allow: "POST" });
        const reply = accept(request);
        accepting.add(reply);
        try {
          return await reply;
        } finally {
          accepting.delete(reply);
        }
      } catch (error) {
        return refuseError(error);
      }
    },
    start: async () => {
      if (life !== "new") throw new ConfigurationError(`The receiver was ${life} already.`);
      life = "started";
      starting = (async () => inbox.start({ run, concurrency, onError }))();
      try {
        await starting;
      } catch (error) {
        if (life === "started") life = "new";
        throw error;
      }
    },
    stop: async ({ timeoutMs = 30_000, ...unknown } = {}) => {
      for (const name in unknown) throw new ConfigurationError(`stop() has no option "${name}".`);
      wholeNumber("timeoutMs", timeoutMs, 0);
      life = "stopped";
      stopping ??= (async () => {
        const deadline = performance.now() + timeoutMs;
        // What has been taken is stored before the store is closed.
        await within(timeoutMs, Promise.allSettled([starting, ...accepting]));
        await inbox.stop(Math.max(0, deadline - performance.now()));
      })();
      await stopping;
    },
    deadLetters: { list: () => inbox.deadLetters(), requeue: (id) => inbox.requeue(id) },
  };
}
