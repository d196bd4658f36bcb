// What the options of a checkout mean: checked, and with their defaults.
import { Gateway } from "../client/gateway.ts";
import {
  checkChoice,
  checkFunction,
  checkMilliseconds,
  checkOptions,
  checkText,
  checkWholeNumber,
  type OptionRows,
  optional,
  wrongOption,
} from "../internal/check-options.ts";
import { partOf, SQL_ENGINES } from "../internal/engine-parts.ts";
import { allowedEnvironmentVariable } from "../internal/environment.ts";
import { MINUTE_MS } from "../internal/units.ts";
import { createErrorLog } from "../webhooks/receiver/error-log.ts";
import type { CheckoutOptions } from "./checkout-options.ts";
import type { CheckoutStore } from "./orders/checkout-store.ts";
import { type AskedCountries, askedCountries } from "./orders/customer-phone.ts";
import type { EngineSettings } from "./orders/order-engine.ts";
import type { MakerSettings } from "./orders/order-maker.ts";
import { TIMES } from "./rules/inputs.ts";

/** What a checkout works with. */
export interface CheckoutSettings extends MakerSettings {
  readonly engine: EngineSettings;
  /** As the user passed it: the receiver calls it in its own way. */
  readonly onError: (error: unknown) => void;
  readonly secret: CheckoutOptions["secret"];
  readonly hooks: CheckoutOptions["hooks"];
  readonly maxWaits: number;
  readonly asked: AskedCountries;
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

const checkStore = (store: CheckoutOptions["store"]): CheckoutStore =>
  partOf("store", store, "checkout", "commit", `a store of orders: ${SQL_ENGINES} or memory()`);

function checkNames(option: string, names: unknown): readonly string[] {
  const areNames = Array.isArray(names) && names.every((one) => typeof one === "string" && one);
  if (!areNames) throw wrongOption(option, "a list of names", names);
  return [...names];
}

const CURRENCY = "KES";
const PREFIX_RULE = "at most 4 upper-case letters, digits and dashes";

const OPTIONS = {
  store: checkStore,
  onPaid: (callback) => checkFunction("onPaid", callback),
  /** {@link gatewayFor} reads it: a gateway that is made keeps its keys in the store. */
  gateway: (gateway) => gateway,
  /** The receiver checks it, and `hooks`. */
  secret: (secret) => secret,
  onReview: (callback = () => {}) => checkFunction("onReview", callback),
  onChange: (callback) => optional(callback, (given) => checkFunction("onChange", given)),
  hooks: (hooks) => hooks,
  onError: (callback) => checkFunction("onError", callback ?? createErrorLog("malipo checkout")),
  prefix: (prefix = "") => checkText("prefix", prefix, /^[0-9A-Z-]{0,4}$/, PREFIX_RULE),
  promptWithinMs: (ms = TIMES.promptWithinMs) => checkMilliseconds("promptWithinMs", ms),
  notSentAfterMs: (ms = notSentAfterMsOfEnvironment() ?? TIMES.notSentAfterMs) =>
    checkMilliseconds("notSentAfterMs", ms),
  phoneLimit: (count = 3) => checkWholeNumber("phoneLimit", count, 1, 1_000),
  attemptLimit: (count = 3) => checkWholeNumber("attemptLimit", count, 1, 1_000),
  partPayments: (how = "count") => checkChoice("partPayments", how, ["count", "review"] as const),
  publicMetadata: (names = []) => checkNames("publicMetadata", names),
  currency: (currency = CURRENCY) =>
    checkText("currency", currency, /^[A-Z]{3}$/, "a currency code such as KES"),
  maxWaits: (count = 1_000) => checkWholeNumber("maxWaits", count, 1, 1_000_000),
  /** {@link askedCountries} checks both. */
  country: (country) => country,
  countries: (countries) => countries,
} satisfies OptionRows<CheckoutOptions>;

/** @throws {ConfigurationError} for a wrong or missing option of `createCheckout`. */
export function checkoutSettings(options: CheckoutOptions): CheckoutSettings {
  const { store, gateway, onPaid, onReview, onChange, phoneLimit, ...own } = checkOptions(
    options,
    OPTIONS,
    "createCheckout",
  );
  const { promptWithinMs, notSentAfterMs, onError, prefix, country, countries, ...rest } = own;
  const asked = askedCountries({ country, countries, currency: rest.currency });
  // It leaves some time after the click.
  const openMs = promptWithinMs + TIMES.promptLifeMs;
  const engine: EngineSettings = {
    store,
    gateway: gatewayFor(gateway, store),
    times: { ...TIMES, promptWithinMs, notSentAfterMs },
    limits: { prompts: phoneLimit, withinMs: PHONE_WITHIN_MS, openMs },
    prefix,
    onPaid,
    onReview,
    onOrderChange: onChange,
    onError: harmless(onError),
    onEmpty: tellOnce(harmless(onError)),
  };
  return { engine, onError, prefix, asked, ...rest };
}
