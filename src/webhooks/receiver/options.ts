import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { memoryInbox } from "../inbox/memory.ts";
import type { Inbox } from "../inbox/types.ts";
import { secretList, type WebhookSecret } from "../verification/secret.ts";

/** Which attempt of which event failed. */
export interface FailedAttempt {
  /** The event kind. */
  readonly event: string;
  /** As the handler got it. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** `false` after the twelfth: the event lies among the dead letters now. */
  readonly willRetry: boolean;
}

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
   * Told of what is refused, of an inbox that fails, of events that nobody handles, and of failed
   * attempts, with which one it was. What it throws is ignored.
   * @default `console.error`
   */
  onError?: ((error: unknown, attempt?: FailedAttempt) => void) | undefined;
  /**
   * Told of a delivery whose key came before with other `data`. It is stored beside the first
   * (`memoryInbox` keeps nothing but the first), and not worked.
   */
  onConflict?: ((event: WebhookEvent) => void) | undefined;
  /** What waits for payments: `createWakeups()`, told of every payment that a webhook names. */
  wakeups?:
    | {
        /** Makes whoever waits for the payment look at once. */
        notify(reference: string): void;
      }
    | undefined;
}

/** The options, checked and complete. */
export interface ReceiverSettings {
  readonly secret: readonly WebhookSecret[];
  readonly inbox: Inbox;
  readonly maxBodyBytes: number;
  readonly maxAgeSeconds: number | undefined;
  readonly concurrency: number;
  readonly handlerTimeoutMs: number;
  onError(error: unknown, attempt?: FailedAttempt): void;
  onConflict(event: WebhookEvent): void;
  notify(reference: string): void;
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

/** A whole number from `least` up that a timer can count. */
export function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value < 2 ** 31) return value;
  throw new ConfigurationError(
    `\`${name}\` is ${String(value)}. It takes a whole number from ${least} to 2147483647.`,
  );
}

/** A callback of the user's that can do no harm: what it throws must not turn a stored event into a refused one. */
function harmless<Args extends unknown[]>(
  name: string,
  callback: (...args: Args) => unknown,
): (...args: Args) => void {
  if (typeof callback !== "function") {
    throw new ConfigurationError(`\`${name}\` is ${typeof callback}. It takes a function.`);
  }
  return (...args) => {
    // In an async function, since a callback may throw before it returns its promise.
    (async () => callback(...args))().catch(() => {});
  };
}

const logError = (...what: unknown[]) =>
  // biome-ignore lint/suspicious/noConsole: a failure that nobody is told of is a webhook lost
  console.error("malipo webhooks:", ...what);

/** @throws {ConfigurationError} where an option is unknown or wrong. */
export function settingsOf(options: WebhookReceiverOptions): ReceiverSettings {
  for (const name of Object.keys(Object(options))) {
    if (OPTIONS.includes(name)) continue;
    throw new ConfigurationError(
      `createWebhookReceiver has no option "${name}". It has ${OPTIONS.join(", ")}.`,
    );
  }
  const { inbox = memoryInbox(), maxAgeSeconds, onError, onConflict, wakeups } = options;
  if (maxAgeSeconds !== undefined && !(Number.isFinite(maxAgeSeconds) && maxAgeSeconds > 0)) {
    throw new ConfigurationError(
      `\`maxAgeSeconds\` is ${String(maxAgeSeconds)}. It takes a number of seconds above 0.`,
    );
  }
  if (typeof inbox?.accept !== "function") {
    throw new ConfigurationError(
      "`inbox` is no inbox. It takes what memoryInbox() or sqliteInbox(path) gives.",
    );
  }
  return {
    secret: secretList(options.secret),
    inbox,
    maxAgeSeconds,
    maxBodyBytes: wholeNumber("maxBodyBytes", options.maxBodyBytes ?? 1_048_576, 1),
    concurrency: wholeNumber("concurrency", options.concurrency ?? 8, 1),
    handlerTimeoutMs: wholeNumber("handlerTimeoutMs", options.handlerTimeoutMs ?? 60_000, 1),
    onError: harmless("onError", onError ?? logError),
    onConflict: harmless("onConflict", onConflict ?? (() => {})),
    notify: harmless<[string]>(
      "wakeups.notify",
      wakeups === undefined ? () => {} : wakeups.notify?.bind(wakeups),
    ),
  };
}
