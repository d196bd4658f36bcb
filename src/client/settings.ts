import { attemptLog } from "#platform";
import {
  isNetworkKey,
  KEY_PREFIXES,
  type KeyKind,
  keyKind,
  NETWORK_KEY_PREFIX,
} from "../contract/keys.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import {
  type CheckedOptions,
  checkChoice,
  checkFunction,
  checkMilliseconds,
  checkOptions,
  checkWholeNumber,
  type OptionRows,
  optional,
} from "../internal/check-options.ts";
import { partOf, SQL_ENGINES } from "../internal/engine-parts.ts";
import { environmentVariable } from "../internal/environment.ts";
import { createRedactor, type Redactor } from "../internal/redact.ts";
import { isLoopback, isPrivateHost, withoutTrailingSlashes } from "../internal/urls.ts";
import { PROFILE_VERSION, type ProfileFile } from "../profile/profile-types.ts";
import type { GatewayObserver } from "./gateway-observer.ts";
import type { GatewayHooks } from "./hooks.ts";
import type { learnedService } from "./learned-service.ts";
import { onDemand } from "./on-demand.ts";
import type { CallOptions, GatewayOptions } from "./options.ts";
import type { AttemptLog } from "./platform/platform-types.ts";
import { isBrowser, userAgent } from "./runtime.ts";
import type { Wake, Wakeups } from "./wakeups/local.ts";

/** The options of a gateway after they were checked, with the defaults filled in. */
export interface Settings extends CallLimits {
  readonly key: string;
  readonly kind: KeyKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The base URL without its path, for messages. */
  readonly origin: string;
  readonly keyHeader: readonly [name: string, value: string];
  /** `undefined` in a browser, which sends its own. */
  readonly userAgent: string | undefined;
  readonly maxResponseBytes: number;
  readonly fetch: GatewayOptions["fetch"];
  /** The store of idempotency keys. Loads the default one at its first use. */
  readonly store: () => Promise<IdempotencyStore>;
  /** By which waits learn that there may be news. */
  readonly wake: Wake | undefined;
  readonly hooks: GatewayHooks;
  readonly observer: GatewayObserver | undefined;
  /** What is known of the service, loaded at the first use; `undefined` without a profile. */
  readonly loadLearned: (() => Promise<ReturnType<typeof learnedService> | undefined>) | undefined;
  /** Makes the log of a call, if the environment asks for it. */
  readonly log: (() => AttemptLog) | undefined;
  /** Takes the key out of what is shown. */
  readonly redactor: Redactor;
  /** Whether the service is a sandbox in a test network, and addresses may have private names. */
  readonly testNetwork: boolean;
  /** Whether only the calls of a public key are allowed: in a browser, unless the user allows more. */
  readonly publicOnly: boolean;
}

function check(isRight: boolean, otherwise: string): asserts isRight {
  if (!isRight) throw new ConfigurationError(otherwise);
}

function checkKey(key: unknown): { key: string; kind: KeyKind } {
  check(
    key !== undefined && key !== "",
    "The API key is missing. Pass the option `apiKey`, or set the environment variable MALIPO_API_KEY.",
  );
  check(
    typeof key === "string" && !/[^\x21-\x7e]/.test(key),
    "The API key must be a string of printable ASCII characters without white space. Remove the line break or the spaces that were copied with it.",
  );
  const kind = keyKind(key);
  check(
    kind !== undefined,
    `The API key must start with one of ${Object.values(KEY_PREFIXES).join(", ")}, and be longer than that. Copy the whole key.`,
  );
  return { key, kind };
}

/** How a gateway reaches a sandbox in another container. */
const NETWORK_SETUP = ` For a sandbox in another container, set all that \`malipo env --url\` prints, or \`testNetwork: true\` and its key ${NETWORK_KEY_PREFIX}...`;

/** @param inTestNetwork - Whether `http:` is accepted on a private name: never for a key that can charge customers. */
function checkBaseUrl(baseUrl: string | undefined, inTestNetwork: boolean): URL {
  check(
    baseUrl !== undefined,
    "The base URL is missing. Pass the option `baseUrl` with the service's path prefix, or set the environment variable MALIPO_BASE_URL.",
  );
  // `localhost:4010` is a URL with the scheme `localhost:`.
  const scheme = isLoopback(baseUrl.replace(/:.*/s, "")) ? "http" : "https";
  check(!/^[\w.-]+:\d/.test(baseUrl), `\`baseUrl\` has no scheme. Write ${scheme}:// before it.`);
  check(
    URL.canParse(baseUrl),
    "`baseUrl` must be an absolute URL, such as https://gateway.example/api/v1.",
  );
  const url = new URL(baseUrl);
  const { protocol, username, password, search, hash } = url;
  check(
    username + password + search + hash === "",
    "`baseUrl` must have no user name, password, query or fragment. Remove them.",
  );
  const isHttp = protocol === "http:";
  const isPrivate = isHttp && isPrivateHost(url.hostname);
  check(
    protocol === "https:" || (isHttp && isLoopback(url.hostname)) || (isPrivate && inTestNetwork),
    `\`baseUrl\` must start with https:, or with http: on a loopback host; got ${isHttp ? "http: on another host" : "another scheme"}. The key would travel unencrypted.${isPrivate ? NETWORK_SETUP : ""}`,
  );
  return url;
}

/** @param isLive - Whether a key may charge a real customer. */
function storeOf(given: GatewayOptions["idempotency"], isLive: boolean): Settings["store"] {
  if (given === undefined) {
    return onDemand("idempotency keys", async () => {
      const { defaultStore } = await import("./default-store.ts");
      return defaultStore(isLive);
    });
  }
  const store = partOf<IdempotencyStore>(
    "idempotency",
    given,
    "idempotency",
    "begin",
    `a store of keys: ${SQL_ENGINES}, redis(url) or memory()`,
  );
  return async () => store;
}

function learnedFrom(profile: ProfileFile | undefined): Settings["loadLearned"] {
  if (profile === undefined) return undefined;
  const version: unknown = profile?.version;
  const given = typeof version === "number" ? ` It has the version ${version}.` : "";
  check(
    version === PROFILE_VERSION,
    `\`profile\` must be a service profile of version ${PROFILE_VERSION}: the parsed content of malipo.service.json.${given} Update malipo, or make the profile again with \`npx malipo probe\`.`,
  );
  const load = onDemand("`profile`", async () => {
    const { learnedService } = await import("./learned-service.ts");
    return learnedService(profile);
  });
  // The response is there. It must not be lost because a part of the client is not.
  return () => load().catch(() => undefined);
}

/** The limits of a call. A gateway and a call take them. */
export const LIMIT_OPTIONS = {
  timeoutMs: (ms = 15_000) => checkMilliseconds("timeoutMs", ms),
  totalTimeoutMs: (ms = 60_000) => checkMilliseconds("totalTimeoutMs", ms),
  maxRetries: (count = 2) => checkWholeNumber("maxRetries", count, 0),
} satisfies OptionRows<Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "maxRetries">>;

export type CallLimits = CheckedOptions<typeof LIMIT_OPTIONS>;

function checkBrowser(kind: KeyKind, allowBrowser: boolean): boolean {
  const publicOnly = !allowBrowser && isBrowser();
  check(
    !publicOnly || kind !== "secret",
    "A secret key must not be used in a browser: everybody who opens the page can read it. " +
      "Use a public key (pk_) here and the secret key on your server. `dangerouslyAllowBrowser` turns this check off.",
  );
  return publicOnly;
}

function checkObserver(observer: GatewayObserver | undefined): GatewayObserver | undefined {
  check(
    observer === undefined || typeof observer?.observeExchange === "function",
    "`observer` must be an observer. Pass createObserver() of malipo/learn.",
  );
  return observer;
}

/** {@link GatewayHooks} are called as they are: an error of one ends the call. */
const HOOKS = {
  request: (hook) => hook,
  response: (hook) => hook,
  retry: (hook) => hook,
  drift: (hook) => hook,
} satisfies OptionRows<GatewayHooks>;

const OPTIONS = {
  apiKey: (key) => checkKey(key ?? environmentVariable("MALIPO_API_KEY")),
  testNetwork: (isOn = environmentVariable("MALIPO_TEST_NETWORK") === "1") =>
    checkChoice("testNetwork", isOn, [true, false]),
  /** {@link checkBaseUrl} checks it, with the key. */
  baseUrl: (url) => url?.toString() ?? environmentVariable("MALIPO_BASE_URL"),
  auth: (auth = "x-api-key") => checkChoice("auth", auth, ["x-api-key", "bearer"]),
  ...LIMIT_OPTIONS,
  // 10 MiB
  maxResponseBytes: (bytes = 10_485_760) => checkWholeNumber("maxResponseBytes", bytes, 1),
  fetch: (fetch) => optional(fetch, (given) => checkFunction("fetch", given)),
  /** {@link storeOf} checks it. */
  idempotency: (store) => store,
  wakeups: (wakeups) =>
    optional(wakeups, (given) =>
      partOf<Wakeups>(
        "wakeups",
        given,
        "wakeups",
        "wake",
        "wake-ups: createWakeups(), postgres(url) or redis(url)",
      ),
    ),
  hooks: (hooks = {}) => checkOptions(hooks, HOOKS, "`hooks`"),
  observer: checkObserver,
  profile: learnedFrom,
  dangerouslyAllowBrowser: (isAllowed = false) => isAllowed,
} satisfies OptionRows<GatewayOptions>;

/** @throws {ConfigurationError} that says which option is wrong and what to change. */
export function settingsFrom(given: GatewayOptions = {}): Settings {
  const options = checkOptions(given, OPTIONS, "Gateway");
  const { auth, timeoutMs, totalTimeoutMs, maxRetries } = options;
  const { key, kind } = options.apiKey;
  const testNetwork = options.testNetwork && isNetworkKey(key);
  const url = checkBaseUrl(options.baseUrl, testNetwork);
  const redactor = createRedactor(key);
  return {
    key,
    kind,
    baseUrl: withoutTrailingSlashes(url.href),
    origin: url.origin,
    keyHeader: auth === "bearer" ? ["authorization", `Bearer ${key}`] : ["x-api-key", key],
    userAgent: userAgent(),
    timeoutMs,
    totalTimeoutMs,
    maxRetries,
    maxResponseBytes: options.maxResponseBytes,
    fetch: options.fetch,
    store: storeOf(options.idempotency, kind === "secret" && !isLoopback(url.hostname)),
    wake: options.wakeups?.wake,
    hooks: options.hooks,
    observer: options.observer,
    loadLearned: options.profile,
    log: attemptLog(redactor),
    redactor,
    testNetwork,
    publicOnly: checkBrowser(kind, options.dangerouslyAllowBrowser),
  };
}
