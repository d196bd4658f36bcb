import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkFunction,
  checkWholeNumber,
  describeValue,
  ownOptions,
  wrongOption,
} from "../../internal/check-options.ts";
import { environmentVariable } from "../../internal/environment.ts";
import { memoryInbox } from "../inbox/memory/inbox.ts";
import type { Inbox } from "../inbox/types.ts";
import { secretList, secretOption } from "../verification/secret.ts";
import { createErrorLog } from "./error-log.ts";
import { HOOK_NAMES, type WebhookHooks } from "./hooks.ts";
import { type FindSigner, fixedSigner, merchantSigner } from "./merchants/signer.ts";
import type { AttemptResolver, PaymentReader, WebhookReceiverOptions } from "./options.ts";
import { checkPerMerchant } from "./per-merchant.ts";
import { Retention } from "./retention.ts";

type Options = WebhookReceiverOptions;

/** Options that have a default, or do nothing by default. */
type Complete = Pick<
  Options,
  | ("inbox" | "maxBodyBytes" | "concurrency" | "handlerTimeoutMs" | "hooks" | "ignore")
  | ("identify" | "onUnhandled" | "onError" | "onConflict")
>;

/** The options, checked and complete. */
export interface ReceiverSettings
  extends Readonly<{ [Name in keyof Complete]-?: NonNullable<Complete[Name]> }>,
    Pick<Options, "maxAgeSeconds" | "onDoublePayment" | "observer"> {
  readonly findSigner: FindSigner;
  /** The user's own clock, in milliseconds since the epoch. */
  readonly now: (() => number) | undefined;
  readonly retention: Retention;
  notify(reference: string): void;
  attemptsOf(merchant: string | undefined): AttemptResolver | undefined;
  paymentsOf(merchant: string | undefined): PaymentReader | undefined;
}

const OPTIONS = [
  "secret",
  "merchant",
  "secretCacheMs",
  "inbox",
  "maxBodyBytes",
  "maxAgeSeconds",
  "now",
  "concurrency",
  "handlerTimeoutMs",
  "ignore",
  "identify",
  "onUnhandled",
  "onError",
  "onConflict",
  "wakeups",
  "attempts",
  "payments",
  "onDoublePayment",
  "hooks",
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
  // biome-ignore lint/suspicious/noConsole: without it, the user would not learn why an event waits
  console.info(
    `malipo webhooks: this process has no handler for ${JSON.stringify(kind)}. They wait for a process that has one. If you do not want them, add the kind to \`ignore\`.`,
  );

function checkIgnore(ignore: unknown): readonly string[] {
  const isKind = (kind: unknown) => typeof kind === "string" && kind !== "";
  if (Array.isArray(ignore) && ignore.every(isKind)) return [...ignore];
  throw wrongOption("ignore", 'a list of event kinds, such as ["payment.initiated"]', ignore);
}

const conflictError = (kind: string) =>
  new Error(
    `A delivery of ${JSON.stringify(kind)} has other data than the same event had before. It was stored and not processed. receiver.conflicts.list() returns it: requeue or drop it. If they are two events, tell them apart with \`identify\`.`,
  );

function checkIdentify(identify: Options["identify"]): ReceiverSettings["identify"] {
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
  throw wrongOption("maxAgeSeconds", "a number of seconds above 0", maxAgeSeconds);
}

function checkNow(now: Options["now"]): ReceiverSettings["now"] {
  if (now === undefined) return undefined;
  checkFunction("now", now);
  return () => now().getTime();
}

/** A user who chooses `memoryInbox()` by name knows what it forgets. */
function defaultInbox(): Inbox {
  if (environmentVariable("NODE_ENV") === "production") {
    // biome-ignore lint/suspicious/noConsole: a loss that shows only after a restart must be announced before
    console.warn(
      'malipo webhooks: this receiver has no `inbox`, so a restart forgets events that were acknowledged and not processed yet, and which events were processed. Pass one: createWebhookReceiver({ inbox: sqliteInbox("inbox.db") }), or `inbox: memoryInbox()` if that is what you want.',
    );
  }
  return memoryInbox();
}

function checkInbox(inbox: unknown): void {
  if (typeof (inbox as Partial<Inbox> | null)?.accept === "function") return;
  throw wrongOption("inbox", "an inbox, such as memoryInbox() or sqliteInbox(path)", inbox);
}

const MAX_CACHE_MS = 86_400_000;

function checkSecret(options: Options): FindSigner {
  const { merchant, secretCacheMs = 300_000 } = options;
  const secret = secretOption(options);
  checkWholeNumber("secretCacheMs", secretCacheMs, 0, MAX_CACHE_MS);
  if (merchant !== undefined) checkFunction("merchant", merchant);
  if (typeof secret !== "function") {
    const secrets = secretList(secret);
    if (merchant === undefined) return fixedSigner(secrets);
    // The URL and most headers are not signed: with one secret for all, a delivery could be sent again
    // as that of another merchant.
    throw new ConfigurationError(
      "With `merchant`, `secret` must be a function that returns the secret of each merchant.",
    );
  }
  if (merchant !== undefined) return merchantSigner(merchant, secret, secretCacheMs);
  throw new ConfigurationError(
    "If `secret` is a function, `merchant` must be set: it tells whose delivery a request is, and is a part of the key of each event.",
  );
}

function checkHooks(hooks: WebhookHooks = {}): WebhookHooks {
  if (typeof hooks !== "object" || hooks === null) throw wrongOption("hooks", "an object", hooks);
  const own = ownOptions(hooks, HOOK_NAMES, "`hooks`");
  for (const name of HOOK_NAMES) {
    if (own[name] !== undefined) checkFunction(`hooks.${name}`, own[name]);
  }
  return own;
}

/** @throws {ConfigurationError} for an unknown option or a wrong value. */
export function checkReceiverOptions(options: Options): ReceiverSettings {
  // Plain JavaScript may call without options.
  const given = ownOptions(options ?? {}, OPTIONS, "createWebhookReceiver");
  const { inbox = defaultInbox(), maxAgeSeconds, wakeups } = given;
  const { maxBodyBytes = 1_048_576, concurrency = 8, handlerTimeoutMs = 60_000 } = given;
  checkMaxAge(maxAgeSeconds);
  checkInbox(inbox);
  const onError = safeCallback("onError", given.onError ?? createErrorLog());
  const now = checkNow(given.now);
  return {
    findSigner: checkSecret(given),
    inbox,
    maxAgeSeconds,
    now,
    retention: new Retention({ inbox, now, onError }),
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
    attemptsOf: checkPerMerchant("attempts", given.attempts, given.merchant !== undefined),
    paymentsOf: checkPerMerchant("payments", given.payments, given.merchant !== undefined),
    hooks: checkHooks(given.hooks),
    observer: given.observer,
    onDoublePayment:
      given.onDoublePayment && safeCallback("onDoublePayment", given.onDoublePayment),
  };
}
