import type { DoublePayment } from "../../contract/double-payment.ts";
import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkFunction,
  checkOptionNames,
  checkWholeNumber,
  describeValue,
} from "../../internal/check-options.ts";
import { memoryInbox } from "../inbox/memory.ts";
import type { Inbox } from "../inbox/types.ts";
import { secretList, type WebhookSecret } from "../verification/secret.ts";
import { createErrorLog } from "./error-log.ts";
import type { AttemptResolver, FailedAttempt, WebhookReceiverOptions } from "./options.ts";

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
  };
}
