import type { EventKind, KnownWebhookEvent, WebhookEvent } from "../contract/events.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { WebhookVerificationError } from "../errors/webhook.ts";
import { identityOf } from "./event-key.ts";
import { createHandlers, type WebhookHandler } from "./handlers.ts";
import type { DeadLetter, Inbox, Receipt } from "./inbox/contract.ts";
import { memoryInbox } from "./inbox/memory.ts";
import { type RawBody, rawBody } from "./raw-body.ts";
import { acknowledge, type Reply, refuse } from "./reply.ts";
import { secretList, type WebhookSecret } from "./secret.ts";
import type { WebhookHeaders } from "./signature-header.ts";
import { verifyDelivery } from "./verify.ts";

/** How a receiver is set up. */
export interface WebhookReceiverOptions {
  /** The webhook signing secret, or several during a rotation. */
  secret: WebhookSecret | readonly WebhookSecret[];
  /**
   * Where deliveries are kept until they are worked off.
   * @default `memoryInbox()`, which a restart empties
   */
  inbox?: Inbox | undefined;
  /** The largest body that is taken, in bytes. @default 1_048_576 */
  maxBodyBytes?: number | undefined;
  /** As in `verifyWebhook`. @default no limit */
  maxAgeSeconds?: number | undefined;
  /** How many events are worked at once. @default 8 */
  concurrency?: number | undefined;
  /** How long a handler may take, in milliseconds. Then its signal aborts and the attempt has failed. @default 60_000 */
  handlerTimeoutMs?: number | undefined;
  /**
   * Told of what is refused, of an inbox that fails, of failed attempts, and of events that nobody
   * handles.
   * @default `console.error`
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Told of a delivery whose key came before with other `data`. It is stored, and not worked. */
  onConflict?: ((event: WebhookEvent) => void) | undefined;
  /** What waits for payments: `createWakeups()`, told of every payment that a webhook names. */
  wakeups?: { notify(reference: string): void } | undefined;
}

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
    list(): Promise<DeadLetter[]>;
    /** Works one again, as new. */
    requeue(id: string): Promise<void>;
  };
  /** The largest body that is taken: for adapters, which stop reading there. */
  readonly maxBodyBytes: number;
  /** For adapters: refuses a body that a framework has read or parsed, and says which line to move. */
  refuseUnraw(hint: string): Reply;
}

const OPTIONS = [
  "secret",
  "inbox",
  "maxBodyBytes",
  "maxAgeSeconds",
  "concurrency",
  "handlerTimeoutMs",
  "onError",
  "onConflict",
  "wakeups",
];

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new ConfigurationError(`\`${name}\` is ${String(value)}. It takes a whole number above 0.`);
}

/**
 * Receives webhooks so that none is lost and none is worked twice: each is verified, stored, and only
 * then acknowledged; then worked off by your handlers, with retries, one effect for one event.
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
  for (const name of Object.keys(Object(options))) {
    if (OPTIONS.includes(name)) continue;
    throw new ConfigurationError(
      `createWebhookReceiver has no option "${name}". It has ${OPTIONS.join(", ")}.`,
    );
  }
  const { inbox = memoryInbox(), maxAgeSeconds, onConflict, wakeups } = options;
  // biome-ignore lint/suspicious/noConsole: a failure that nobody is told of is a webhook lost
  const { onError = (error: unknown) => console.error("malipo webhooks:", error) } = options;
  const secret = secretList(options.secret);
  const maxBodyBytes = positive("maxBodyBytes", options.maxBodyBytes ?? 1_048_576);
  const concurrency = positive("concurrency", options.concurrency ?? 8);
  const handlerTimeoutMs = positive("handlerTimeoutMs", options.handlerTimeoutMs ?? 60_000);
  if (maxAgeSeconds !== undefined && !(Number.isFinite(maxAgeSeconds) && maxAgeSeconds > 0)) {
    throw new ConfigurationError(
      `\`maxAgeSeconds\` is ${String(maxAgeSeconds)}. It takes a number of seconds above 0.`,
    );
  }
  let life: "new" | "started" | "stopped" = "new";

  /** A callback of the user's must not turn a stored event into a refused one. */
  function tell<Args extends unknown[]>(
    callback: ((...args: Args) => unknown) | undefined,
    ...args: Args
  ) {
    try {
      Promise.resolve(callback?.(...args)).catch(() => {});
    } catch {
      // As above.
    }
  }

  const unhandled = new Set<string>();
  const handlers = createHandlers(
    handlerTimeoutMs,
    () => life !== "new",
    (kind) => {
      if (unhandled.has(kind)) return;
      unhandled.add(kind);
      const message = `No handler for ${kind}: such events are taken and done. Add on() or onOther().`;
      tell(onError, new ConfigurationError(message));
    },
  );

  function refuseError(error: unknown): Reply {
    tell(onError, error);
    if (!(error instanceof WebhookVerificationError)) return refuse(500, "the receiver failed");
    return refuse(error.status, error.code.replaceAll("_", " "));
  }

  async function accept(request: WebhookRequest): Promise<Reply> {
    const [event, raw, secretIndex] = verifyDelivery({
      body: request.body,
      headers: request.headers,
      secret,
      maxAgeSeconds,
    });
    const { key, digest } = identityOf(event, raw);
    const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
    const delivery = { key, digest, event: event.event, raw: bytes, secretIndex };
    let receipt: Receipt;
    try {
      receipt = await inbox.accept({ ...delivery, receivedAt: Date.now() });
    } catch (error) {
      tell(onError, error);
      return refuse(503, "cannot be stored now", { "retry-after": "10" });
    }
    if (receipt.standing === "conflict") tell(onConflict, event);
    const { reference } = event.data;
    if (typeof reference === "string") tell(wakeups?.notify.bind(wakeups), reference);
    return acknowledge(receipt);
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
        if (sizeOf(request.body) > maxBodyBytes) return refuse(413, "too large");
        return await accept(request);
      } catch (error) {
        return refuseError(error);
      }
    },
    start: async () => {
      if (life !== "new") throw new ConfigurationError(`The receiver was ${life} already.`);
      life = "started";
      const run = async (job: Parameters<typeof handlers.run>[0]) => {
        try {
          await handlers.run(job);
        } catch (error) {
          tell(onError, error);
          throw error;
        }
      };
      await inbox.start({ run, concurrency, onError: (error) => tell(onError, error) });
    },
    stop: async ({ timeoutMs = 30_000 } = {}) => {
      const wasStarted = life === "started";
      life = "stopped";
      if (wasStarted) await inbox.stop(timeoutMs);
    },
    deadLetters: { list: () => inbox.deadLetters(), requeue: (id) => inbox.requeue(id) },
  };
}

/** In bytes. A string is no shorter in UTF-8 than in characters, and three times as long at most. */
function sizeOf(body: unknown): number {
  const raw = rawBody(body);
  return typeof raw === "string" ? new TextEncoder().encode(raw).length : raw.length;
}
