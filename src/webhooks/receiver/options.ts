import type { DoublePayment } from "../../contract/double-payment.ts";
import type { EventKind, WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkFunction,
  checkOptionNames,
  checkWholeNumber,
  describeValue,
} from "../../internal/check-options.ts";
import { memoryInbox } from "../inbox/memory/inbox.ts";
import type { Inbox } from "../inbox/types.ts";
import { secretList, type WebhookSecret } from "../verification/secret.ts";
import type { WebhookHeaders } from "../verification/signature-header.ts";
import { createErrorLog } from "./error-log.ts";

/** Which attempt of which event failed. */
export interface FailedAttempt {
  /** The event kind. */
  readonly event: string;
  /** As the handler got it. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** `false` after the twelfth attempt: the event is a dead letter now. */
  readonly willRetry: boolean;
}

/** What {@link createWebhookReceiver} takes. */
export interface WebhookReceiverOptions {
  /** The webhook signing secret. Set a list while you rotate the secret: the old one and the new one. */
  secret: WebhookSecret | readonly WebhookSecret[];
  /**
   * Where deliveries are stored until they are processed. Set it in production: `sqliteInbox` on one
   * machine, `pgBossInbox` or `bullmqInbox` on several.
   * @default `memoryInbox()`, which a restart empties
   */
  inbox?: Inbox | undefined;
  /**
   * The largest body that is accepted, in bytes. Set it lower where memory is short, or higher where
   * the service returned your own large `metadata`.
   * @default 1_048_576
   */
  maxBodyBytes?: number | undefined;
  /**
   * The greatest age of an event in seconds, as in `verifyWebhook`. Leave it out with a durable inbox:
   * that already recognises duplicates, and a limit loses late retries.
   * @default no limit
   */
  maxAgeSeconds?: number | undefined;
  /**
   * How many events this process handles at the same time. Set it to 1 where handlers must not overlap,
   * higher where they mostly wait for other services.
   * @default 8
   */
  concurrency?: number | undefined;
  /**
   * How long a handler may take, in milliseconds. After that its signal aborts and the attempt has
   * failed. Set it above the longest call that a handler makes.
   * @default 60_000
   */
  handlerTimeoutMs?: number | undefined;
  /**
   * Kinds of events that nobody wants: they are acknowledged and done. Set it for every kind that no
   * process handles; all others are kept for a process that does.
   * @default none
   */
  ignore?: readonly (EventKind | (string & {}))[] | undefined;
  /**
   * Gives what tells one event of a kind from another, such as `String(event.data.instalment_id)`;
   * `undefined` for the default, which is `data.reference`, else `data.payment_id`. Set it where
   * several events of a kind have one reference: without it, the second is a conflict.
   */
  identify?: ((event: WebhookEvent) => string | undefined) | undefined;
  /**
   * Called once with each kind of event that this process neither handles nor ignores. Such events are
   * kept for a process that handles them, such as the next version of your program, until the
   * retention of the inbox ends. `bullmqInbox` and `pgBossInbox` drop them and call `onError` instead.
   * @default a line in the console
   */
  onUnhandled?: ((kind: string) => void) | undefined;
  /**
   * Called with every rejected request, every failure of the inbox, and every failed attempt (then
   * with the attempt). Set it to send these to your logs or
   * alerts. An error that it throws is ignored.
   * @default `console.error`, with one line a minute for equal errors, and no stack for a rejected request
   */
  onError?: ((error: unknown, attempt?: FailedAttempt) => void) | undefined;
  /**
   * Called with a delivery whose event was stored before with other `data`. It is stored beside the
   * first one and not processed; `receiver.conflicts` lists it. Set it to have a person look at both.
   * @default `onError`, with an error that names the kind
   */
  onConflict?: ((event: WebhookEvent) => void) | undefined;
  /**
   * Notified of every payment that a stored event names: set it to the `createWakeups()` that
   * `waitFor` and `collect` use, so that they read the payment at once.
   */
  wakeups?:
    | {
        /** Wakes everything that waits for the payment. */
        notify(reference: string): void;
      }
    | undefined;
  /**
   * Attempts of unknown outcome that payment events may resolve: set it to `gateway.idempotency`. An
   * event whose payment matches exactly one of them, by account reference, amount and phone, resolves
   * it with the reference of the payment. A failure is reported to `onError`, and the event is
   * handled all the same.
   */
  attempts?: AttemptResolver | undefined;
  /**
   * Called with two completed payments that look like the same money twice: two of one
   * `account_reference`, such as of the keys `ORDER-42/1` and `ORDER-42/2`, or two with one
   * `transaction_id`. Set it to have a person look, and to pay one of them back. This process
   * remembers the last 10,000 completed payments; with `attempts`, the payments of other keys are
   * found in the idempotency store, too. It may be called more than once for the same two.
   */
  onDoublePayment?: ((double: DoublePayment) => void) | undefined;
  /**
   * What learns how your service delivers: `createObserver()` of `malipo/learn`. It keeps shapes, never
   * values, and no delivery waits for it. Set it to learn payloads, headers and the retry schedule.
   * @default none
   */
  observer?: DeliveryObserver | undefined;
}

/** What the receiver needs of an observer: `createObserver()` of `malipo/learn` makes one. */
export interface DeliveryObserver {
  /** Is called with each verified delivery, and must return at once. */
  observeDelivery(delivery: ObservedDelivery): void;
}

/** A verified delivery. It holds values: only shapes may be kept. */
export interface ObservedDelivery {
  readonly headers: WebhookHeaders;
  readonly body: Uint8Array;
  /** The status that the receiver returns. */
  readonly status: number;
  /** In milliseconds since 1970. */
  readonly receivedAt: number;
}

/** What the receiver needs of `gateway.idempotency`. */
export interface AttemptResolver {
  /** Resolves the attempt of unknown outcome that made a payment, where exactly one can have made it. */
  resolveByPayment(payment: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The completed payments of an account reference that other idempotency keys made. */
  otherCompletedPayments?(
    accountReference: string,
    reference: string,
  ): Promise<readonly { readonly reference?: string }[]>;
}

/** The options, checked and complete. */
export interface ReceiverSettings {
  readonly secret: readonly WebhookSecret[];
  readonly inbox: Inbox;
  readonly maxBodyBytes: number;
  readonly maxAgeSeconds: number | undefined;
  readonly concurrency: number;
  readonly handlerTimeoutMs: number;
  readonly ignore: readonly string[];
  identify(event: WebhookEvent): string | undefined;
  onUnhandled(kind: string): void;
  onError(error: unknown, attempt?: FailedAttempt): void;
  onConflict(event: WebhookEvent): void;
  notify(reference: string): void;
  readonly attempts: AttemptResolver | undefined;
  readonly onDoublePayment: ((double: DoublePayment) => void) | undefined;
  readonly observer: DeliveryObserver | undefined;
}

const OPTIONS = [
  "secret",
  "inbox",
  "maxBodyBytes",
  "maxAgeSeconds",
  "concurrency",
  "handlerTimeoutMs",
  "ignore",
  "identify",
  "onUnhandled",
  "onError",
  "onConflict",
  "wakeups",
  "attempts",
  "onDoublePayment",
  "observer",
];

/** A callback whose errors are ignored: they must not turn a stored event into a rejected one. */
function safeCallback<Args extends unknown[]>(
  option: string,
  callback: (...args: Args) => unknown,
): (...args: Args) => void {
  checkFunction(option, callback);
  return (...args) => {
    // In an async function, since a callback may throw before it returns its promise.
    (async () => callback(...args))().catch(() => {});
  };
}

const logUnhandled = (kind: string) =>
  // biome-ignore lint/suspicious/noConsole: without it, nobody would learn why an event waits
  console.info(
    `malipo webhooks: this process has no handler for ${JSON.stringify(kind)}. Such events are kept for a process that has one. If nobody wants them, add the kind to \`ignore\`.`,
  );

function checkIgnore(ignore: unknown): readonly string[] {
  const isKind = (kind: unknown) => typeof kind === "string" && kind !== "";
  if (Array.isArray(ignore) && ignore.every(isKind)) return [...ignore];
  throw new ConfigurationError(
    `\`ignore\` must be a list of event kinds, such as ["payment.initiated"]; got ${describeValue(ignore)}.`,
  );
}

const conflictError = (kind: string) =>
  new Error(
    `A delivery of ${JSON.stringify(kind)} has other data than the same event had before. It was stored and not processed. receiver.conflicts.list() gives it: requeue or drop it. Where they are two events, tell them apart with \`identify\`.`,
  );

function checkIdentify(identify: WebhookReceiverOptions["identify"]): ReceiverSettings["identify"] {
  if (identify !== undefined) checkFunction("identify", identify);
  return (event) => {
    const identity: unknown = identify?.(event);
    if (identity === undefined || (typeof identity === "string" && identity !== ""))
      return identity;
    throw new ConfigurationError(
      `\`identify\` must return a non-empty string, or undefined; got ${describeValue(identity)}.`,
    );
  };
}

function checkMaxAge(maxAgeSeconds: unknown): void {
  if (maxAgeSeconds === undefined) return;
  if (Number.isFinite(maxAgeSeconds) && (maxAgeSeconds as number) > 0) return;
  throw new ConfigurationError(
    `\`maxAgeSeconds\` must be a number of seconds above 0; got ${describeValue(maxAgeSeconds)}.`,
  );
}

function checkInbox(inbox: unknown): void {
  if (typeof (inbox as Partial<Inbox> | null)?.accept === "function") return;
  throw new ConfigurationError(
    `\`inbox\` must be an inbox, such as memoryInbox() or sqliteInbox(path); got ${describeValue(inbox)}.`,
  );
}

function checkAttempts(attempts: unknown): void {
  const given = attempts as Partial<AttemptResolver> | undefined;
  if (given === undefined || typeof given?.resolveByPayment === "function") return;
  throw new ConfigurationError(
    `\`attempts\` must be the \`idempotency\` of a gateway; got ${describeValue(attempts)}.`,
  );
}

function checkObserver(observer: DeliveryObserver | undefined): void {
  if (observer === undefined || typeof observer?.observeDelivery === "function") return;
  throw new ConfigurationError(
    "`observer` must be an observer. Pass createObserver() of malipo/learn.",
  );
}

/** @throws {ConfigurationError} for an unknown option or a wrong value. */
export function checkReceiverOptions(options: WebhookReceiverOptions): ReceiverSettings {
  // Plain JavaScript may call without options.
  const given = (options ?? {}) as WebhookReceiverOptions;
  checkOptionNames(given, OPTIONS, "createWebhookReceiver");
  const { inbox = memoryInbox(), maxAgeSeconds, wakeups } = given;
  const { maxBodyBytes = 1_048_576, concurrency = 8, handlerTimeoutMs = 60_000 } = given;
  checkMaxAge(maxAgeSeconds);
  checkInbox(inbox);
  const onError = safeCallback("onError", given.onError ?? createErrorLog());
  checkAttempts(given.attempts);
  checkObserver(given.observer);
  return {
    secret: secretList(given.secret),
    inbox,
    maxAgeSeconds,
    maxBodyBytes: checkWholeNumber("maxBodyBytes", maxBodyBytes, 1),
    concurrency: checkWholeNumber("concurrency", concurrency, 1),
    handlerTimeoutMs: checkWholeNumber("handlerTimeoutMs", handlerTimeoutMs, 1),
    ignore: checkIgnore(given.ignore ?? []),
    onUnhandled: safeCallback("onUnhandled", given.onUnhandled ?? logUnhandled),
    identify: checkIdentify(given.identify),
    onError,
    onConflict: safeCallback(
      "onConflict",
      given.onConflict ?? (({ event }) => onError(conflictError(event))),
    ),
    notify: safeCallback<[string]>(
      "wakeups.notify",
      wakeups === undefined ? () => {} : wakeups.notify?.bind(wakeups),
    ),
    attempts: given.attempts,
    onDoublePayment:
      given.onDoublePayment && safeCallback("onDoublePayment", given.onDoublePayment),
    observer: given.observer,
  };
}
