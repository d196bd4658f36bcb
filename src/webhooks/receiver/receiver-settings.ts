import { ConfigurationError } from "../../errors/configuration.ts";
import {
  type CheckedOptions,
  checkFunction,
  checkOptions,
  checkWholeNumber,
  describeValue,
  type OptionRows,
  optional,
  wrongOption,
} from "../../internal/check-options.ts";
import { partOf, SQL_ENGINES } from "../../internal/engine-parts.ts";
import { environmentVariable } from "../../internal/environment.ts";
import { DAY_MS } from "../../internal/units.ts";
import { isEngineAway } from "../../storage/engine-away.ts";
import type { Inbox } from "../inbox/inbox-types.ts";
import { memoryInbox } from "../inbox/memory/inbox.ts";
import { reportOncePerMinute } from "../inbox/repeated-errors.ts";
import { receiverSecrets, secretOption } from "../verification/secret.ts";
import { createErrorLog } from "./error-log.ts";
import { type FindSigner, fixedSigner, merchantSigner } from "./merchants/signer.ts";
import type { WebhookHooks } from "./receiver-hooks.ts";
import type {
  AttemptResolver,
  PaymentNotifier,
  PaymentReader,
  WebhookReceiverOptions,
} from "./receiver-options.ts";
import { Retention } from "./retention.ts";

type Options = WebhookReceiverOptions;

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

function checkIdentify(identify: Options["identify"]): NonNullable<Options["identify"]> {
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

/** The current time, in milliseconds since the epoch. */
function checkNow(now: () => Date): () => number {
  checkFunction("now", now);
  return () => now().getTime();
}

function checkMaxAge(seconds: number): number {
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw wrongOption("maxAgeSeconds", "a number of seconds above 0", seconds);
}

/** A user who chooses `memory()` by name knows what it forgets. */
function defaultInbox(): Inbox {
  if (environmentVariable("NODE_ENV") === "production") {
    // biome-ignore lint/suspicious/noConsole: a loss that shows only after a restart must be announced before
    console.warn(
      'malipo webhooks: this receiver has no `inbox`, so a restart forgets events that were acknowledged and not processed yet, and which events were processed. Pass one: createWebhookReceiver({ inbox: sqlite("inbox.db") }), or `inbox: memory()` if that is what you want.',
    );
  }
  return memoryInbox();
}

const checkInbox = (given: Options["inbox"] = defaultInbox()): Inbox =>
  partOf<Inbox>(
    "inbox",
    given,
    "inbox",
    "accept",
    `an inbox: ${SQL_ENGINES}, redis(url) or memory()`,
  );

function checkWakeups(given: NonNullable<Options["wakeups"]>) {
  const wakeups = partOf<PaymentNotifier>(
    "wakeups",
    given,
    "wakeups",
    "notify",
    "wake-ups: createWakeups(), postgres(url) or redis(url)",
  );
  return { notify: safeCallback("wakeups.notify", wakeups.notify.bind(wakeups)) };
}

const HOOKS = {
  receive: (hook) => optional(hook, (given) => checkFunction("hooks.receive", given)),
  process: (hook) => optional(hook, (given) => checkFunction("hooks.process", given)),
} satisfies OptionRows<WebhookHooks>;

function checkHooks(hooks: WebhookHooks = {}): WebhookHooks {
  if (typeof hooks !== "object" || hooks === null) throw wrongOption("hooks", "an object", hooks);
  return checkOptions(hooks, HOOKS, "`hooks`");
}

/**
 * Returns the value of an option for a merchant. With many merchants, the option is a function: one
 * merchant's events must not reach the account of another.
 *
 * @param kind - What the option takes, and the method that tells.
 * @throws {ConfigurationError} for something else.
 */
function checkPerMerchant<Value>(
  name: string,
  given: unknown,
  isPerMerchant: boolean,
  { what, method }: { readonly what: string; readonly method: keyof Value },
): (merchant: string | undefined) => Value | undefined {
  const check = (value: unknown): Value => {
    if (typeof Object(value)[method] === "function") return value as Value;
    throw wrongOption(name, what, value);
  };
  if (given === undefined) return () => undefined;
  if (!isPerMerchant) {
    const value = check(given);
    return () => value;
  }
  checkFunction(name, given);
  return (merchant) => {
    const found = (given as (merchant: string | undefined) => unknown)(merchant);
    return found === undefined ? undefined : check(found);
  };
}

/** A callback that gets one error a minute while an engine is away, however many deliveries come. */
function errorCallback(callback: NonNullable<Options["onError"]>): typeof callback {
  const report = safeCallback("onError", callback);
  const reportAway = reportOncePerMinute((error) => report(error));
  return (error, ...attempt) =>
    attempt.length === 0 && isEngineAway(error) ? reportAway(error) : report(error, ...attempt);
}

const OPTIONS = {
  /** {@link signerOf} checks it together with `merchant`. */
  secret: (_, given) => secretOption(given),
  merchant: (merchant) => optional(merchant, (given) => checkFunction("merchant", given)),
  secretCacheMs: (ms = 300_000) => checkWholeNumber("secretCacheMs", ms, 0, DAY_MS),
  inbox: checkInbox,
  maxBodyBytes: (bytes = 1_048_576) => checkWholeNumber("maxBodyBytes", bytes, 1),
  maxAgeSeconds: (seconds) => optional(seconds, checkMaxAge),
  now: (now) => optional(now, checkNow),
  concurrency: (count = 8) => checkWholeNumber("concurrency", count, 1),
  handlerTimeoutMs: (ms = 60_000) => checkWholeNumber("handlerTimeoutMs", ms, 1),
  ignore: (kinds) => checkIgnore(kinds ?? []),
  identify: checkIdentify,
  onUnhandled: (callback) => safeCallback("onUnhandled", callback ?? logUnhandled),
  onError: (callback) =>
    callback === undefined ? safeCallback("onError", createErrorLog()) : errorCallback(callback),
  onConflict: (callback) => optional(callback, (given) => safeCallback("onConflict", given)),
  wakeups: (wakeups) => optional(wakeups, checkWakeups),
  attempts: (given, { merchant }) =>
    checkPerMerchant<AttemptResolver>("attempts", given, merchant !== undefined, {
      what: "the `idempotency` of a gateway",
      method: "resolveByPayment",
    }),
  payments: (given, { merchant }) =>
    checkPerMerchant<PaymentReader>("payments", given, merchant !== undefined, {
      what: "the `payments` of a gateway",
      method: "get",
    }),
  onDoublePayment: (callback) =>
    optional(callback, (given) => safeCallback("onDoublePayment", given)),
  hooks: checkHooks,
  observer: (observer) =>
    optional(observer, (given) => ({
      observeDelivery: safeCallback("observer.observeDelivery", given.observeDelivery?.bind(given)),
    })),
} satisfies OptionRows<Options>;

type Checked = CheckedOptions<typeof OPTIONS>;

/** The options, checked and complete. */
export interface ReceiverSettings extends Checked {
  readonly findSigner: FindSigner;
  readonly retention: Retention;
}

function signerOf({ secret, merchant, secretCacheMs }: Checked): FindSigner {
  if (typeof secret !== "function") {
    const secrets = receiverSecrets(secret);
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

/** @throws {ConfigurationError} for an unknown option or a wrong value. */
export function checkReceiverOptions(options: Options): ReceiverSettings {
  // Plain JavaScript may call without options.
  const checked = checkOptions(options ?? {}, OPTIONS, "createWebhookReceiver");
  return { ...checked, findSigner: signerOf(checked), retention: new Retention(checked) };
}
