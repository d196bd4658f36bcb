// What the options of a checkout mean: checked, and with their defaults.
import { Gateway } from "../client/gateway.ts";
import { callingCodeOf } from "../contract/countries.ts";
import {
  checkFunction,
  checkMilliseconds,
  checkText,
  checkWholeNumber,
  ownOptions,
  wrongOption,
} from "../internal/check-options.ts";
import { allowedEnvironmentVariable } from "../internal/environment.ts";
import { isObject } from "../internal/is-object.ts";
import { MINUTE_MS } from "../internal/units.ts";
import { createErrorLog } from "../webhooks/receiver/error-log.ts";
import { CHECKOUT_OPTIONS, type CheckoutOptions } from "./checkout-options.ts";
import type { CheckoutStore } from "./checkout-store.ts";
import { checkCountry } from "./customer-phone.ts";
import { TIMES } from "./inputs.ts";
import type { EngineSettings } from "./order-engine.ts";
import type { MakerSettings } from "./order-maker.ts";

/** What a checkout works with. */
export interface CheckoutSettings extends MakerSettings {
  readonly engine: EngineSettings;
  /** As the user passed it: the receiver calls it in its own way. */
  readonly onError: (error: unknown) => void;
  readonly secret: CheckoutOptions["secret"];
  readonly hooks: CheckoutOptions["hooks"];
  readonly maxWaits: number;
  /** The calling code of numbers without one; `undefined` if several countries have the currency. */
  readonly country: string | undefined;
}

const PHONE_WITHIN_MS = 10 * MINUTE_MS;
/** A customer waits. An attempt whose process dies is unknown only when its time is over. */
const TOTAL_TIMEOUT_MS = 15_000;

/** A log that fails must not hide what became of a prompt. */
const harmless =
  (onError: (error: unknown) => unknown) =>
  (error: unknown): void => {
    // A function of the user may throw before it returns a promise.
    void (async () => onError(error))().catch(() => {});
  };

/** In a shop whose goods are no rows, it would be said of each order. */
const tellOnce = (onError: (error: unknown) => void) => {
  let hasTold = false;
  return () => {
    if (!hasTold) onError(new Error(WROTE_NOTHING));
    hasTold = true;
  };
};
const WROTE_NOTHING =
  "The transaction of onPaid has written no row, and the order says that its goods were given. If it was to write one, an `await` or a call that runs the statement is missing. This is reported once.";

/** A deployment whose service lists a payment at once sets it without a change of the code. */
function notSentAfterMsOfEnvironment(): number | undefined {
  const name = "MALIPO_NOT_SENT_AFTER_MS";
  const text = allowedEnvironmentVariable(name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw wrongOption(name, "a number of milliseconds", text);
  return Number(text);
}

function gatewayFor(given: CheckoutOptions["gateway"], store: CheckoutStore): Gateway {
  if (given instanceof Gateway) return given;
  const totalTimeoutMs = given?.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  return new Gateway({ ...given, totalTimeoutMs, idempotency: store.idempotency });
}

/** @throws {ConfigurationError} for a wrong or missing option of `createCheckout`. */
export function checkoutSettings<Connection>(
  options: CheckoutOptions<Connection>,
): CheckoutSettings {
  const own = ownOptions(options, CHECKOUT_OPTIONS, "createCheckout");
  const { store, onPaid, onReview, onChange, onError = createErrorLog("malipo checkout") } = own;
  const { prefix = "", currency = "KES", phoneLimit = 3, attemptLimit = 3, maxWaits = 1_000 } = own;
  const { promptWithinMs = TIMES.promptWithinMs } = own;
  const { notSentAfterMs = notSentAfterMsOfEnvironment() ?? TIMES.notSentAfterMs } = own;
  if (!isObject(store)) throw wrongOption("store", "a store, such as sqliteCheckout(path)", store);
  checkFunction("onPaid", onPaid);
  if (onReview !== undefined) checkFunction("onReview", onReview);
  if (onChange !== undefined) checkFunction("onChange", onChange);
  checkFunction("onError", onError);
  const prefixRule = "at most 4 upper-case letters, digits and dashes";
  checkText("prefix", prefix, /^[0-9A-Z-]{0,4}$/, prefixRule);
  checkMilliseconds("promptWithinMs", promptWithinMs);
  checkMilliseconds("notSentAfterMs", notSentAfterMs);
  checkWholeNumber("phoneLimit", phoneLimit, 1, 1_000);
  checkWholeNumber("attemptLimit", attemptLimit, 1, 1_000);
  checkWholeNumber("maxWaits", maxWaits, 1, 1_000_000);
  checkText("currency", currency, /^[A-Z]{3}$/, "a currency code such as KES");
  const country = own.country === undefined ? callingCodeOf(currency) : checkCountry(own.country);
  // It leaves some time after the click.
  const openMs = promptWithinMs + TIMES.promptLifeMs;
  const engine: EngineSettings = {
    store,
    gateway: gatewayFor(own.gateway, store),
    times: { ...TIMES, promptWithinMs, notSentAfterMs },
    limits: { prompts: phoneLimit, withinMs: PHONE_WITHIN_MS, openMs },
    prefix,
    onPaid,
    onReview: onReview ?? (() => {}),
    onOrderChange: onChange,
    onError: harmless(onError),
    onEmpty: tellOnce(harmless(onError)),
  };
  const { secret, hooks } = own;
  return { engine, onError, secret, hooks, prefix, currency, attemptLimit, maxWaits, country };
}
