import { KEY_PREFIXES, type KeyKind, keyKind } from "../contract/keys.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { isLoopback } from "../internal/loopback.ts";
import type { GatewayHooks } from "./hooks.ts";
import type { Fetch } from "./http/exchange.ts";
import type { IdempotencyStore } from "./idempotency/store.ts";
import { memoryIdempotency } from "./idempotency/stores/memory.ts";
import { environment, isBrowser } from "./runtime.ts";

/** How a {@link Gateway} is set up. */
export interface GatewayOptions<Key extends string = string> {
  /**
   * The API key. A literal `"pk_..."` narrows the type of the gateway to the calls that a public
   * key may make.
   * @default the environment variable `MALIPO_API_KEY`
   */
  apiKey?: Key | undefined;
  /**
   * Address of the service, path prefix included: `https:`, or `http:` on a loopback host.
   * @default the environment variable `MALIPO_BASE_URL`
   */
  baseUrl?: string | URL | undefined;
  /**
   * Which header carries the key: `X-API-Key`, or `Authorization: Bearer`.
   * @default "x-api-key"
   */
  auth?: "x-api-key" | "bearer" | undefined;
  /**
   * The longest that one attempt may take, its body included, in milliseconds.
   * @default 15_000
   */
  timeoutMs?: number | undefined;
  /**
   * The longest that a whole call may take, attempts, waits and bodies, in milliseconds.
   * @default 60_000
   */
  totalTimeoutMs?: number | undefined;
  /**
   * How often an attempt may be made again, where that is safe.
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * Any `fetch`; `sandbox.fetch` in tests. It is called with the address and an init whose body is
   * a string.
   * @default the global `fetch`, looked up at each call
   */
  fetch?: Fetch | undefined;
  /**
   * Where idempotency keys are remembered. What the default, `memoryIdempotency()`, cannot promise,
   * the SQLite, Redis and PostgreSQL stores do.
   * @default one in memory, for this gateway
   */
  idempotency?: IdempotencyStore | undefined;
  /** Called as things happen, for logs and traces. */
  hooks?: GatewayHooks | undefined;
  /**
   * Lets a secret key, and all that a sandbox key may do, into a browser. Whoever opens the page
   * can then read the key and take the merchant's money: for closed, internal tools alone.
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** What every call may set for itself. */
export interface CallOptions {
  /** Ends the call at once, waits included; it rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /** As `GatewayOptions.timeoutMs`, for this call. */
  timeoutMs?: number | undefined;
  /** As `GatewayOptions.totalTimeoutMs`, for this call. */
  totalTimeoutMs?: number | undefined;
  /** As `GatewayOptions.maxRetries`, for this call. */
  maxRetries?: number | undefined;
  /** Further request headers. They cannot replace the one that carries the key. */
  headers?: Record<string, string> | Headers | undefined;
}

/** What a call that creates may set for itself. */
export interface CreateOptions extends CallOptions {
  /**
   * One key makes at most one prompt: the same key and parameters give the first result, whoever
   * asks. 1 to 255 characters, such as the order's id and the number of the try.
   *
   * @throws {IdempotencyConflictError} where the key was used with other parameters.
   * @throws {OutcomeUnknownError} where an earlier attempt may have happened.
   */
  idempotencyKey?: string | undefined;
}

/** Options that were checked. */
export interface Settings {
  readonly key: string;
  readonly kind: KeyKind;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly keyHeader: readonly [name: string, value: string];
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: GatewayOptions["fetch"];
  readonly idempotency: IdempotencyStore;
  readonly hooks: GatewayHooks;
  /** In a browser, with no leave to do more than a public key may. */
  readonly publicOnly: boolean;
}

const OPTION_NAMES = [
  "apiKey",
  "baseUrl",
  "auth",
  "timeoutMs",
  "totalTimeoutMs",
  "maxRetries",
  "fetch",
  "idempotency",
  "hooks",
  "dangerouslyAllowBrowser",
];
const HOOK_NAMES = ["request", "response", "retry", "drift"];

/** Refuses names that are no options: a misspelt one must not be silently without effect. */
export function checkNames(options: object, names: readonly string[], what: string): void {
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    throw new ConfigurationError(`${what} has no option "${name}". It has ${names.join(", ")}.`);
  }
}

// Timers take no longer delay than this.
const LONGEST_MS = 2 ** 31 - 1;

const isMs = (value: number) => value > 0 && value <= LONGEST_MS;
const isCount = (value: number) => Number.isInteger(value) && value >= 0;

/** What a limit must be, by its name. */
const LIMITS = {
  timeoutMs: { fits: isMs, what: "milliseconds above 0", standard: 15_000 },
  totalTimeoutMs: { fits: isMs, what: "milliseconds above 0", standard: 60_000 },
  maxRetries: { fits: isCount, what: "a whole number, 0 or more", standard: 2 },
  concurrency: {
    fits: (value) => isCount(value) && value > 0,
    what: "a whole number above 0",
    standard: 8,
  },
} satisfies Record<string, { fits: (value: number) => boolean; what: string; standard: number }>;

/** A limit of a call: its own, else the gateway's, else the standard one. */
export function limit(
  name: keyof typeof LIMITS,
  own: number | undefined,
  fallback: number = LIMITS[name].standard,
): number {
  if (own === undefined) return fallback;
  const { fits, what } = LIMITS[name];
  if (typeof own === "number" && fits(own)) return own;
  throw new ConfigurationError(`\`${name}\` is ${String(own)}. It takes ${what}.`);
}

function checkKey(key: string | undefined): KeyKind {
  if (key === undefined || key === "") {
    throw new ConfigurationError(
      "No API key. Pass `apiKey`, or set the environment variable MALIPO_API_KEY.",
    );
  }
  if (typeof key !== "string" || /[^\x21-\x7e]/.test(key)) {
    throw new ConfigurationError(
      "The API key has white space or other characters that no key has. Was it copied with a line end? Trim it.",
    );
  }
  const kind = keyKind(key);
  if (kind !== undefined) return kind;
  throw new ConfigurationError(
    `The API key has none of the known prefixes: ${Object.values(KEY_PREFIXES).join(", ")}.`,
  );
}

function checkBaseUrl(address: string | undefined): string {
  if (address === undefined) {
    throw new ConfigurationError(
      "No base URL. Pass `baseUrl` with the service's path prefix, or set the environment variable MALIPO_BASE_URL.",
    );
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new ConfigurationError("`baseUrl` is not an absolute address.");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("`baseUrl` takes no user name, password, query or fragment.");
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new ConfigurationError(
      `\`baseUrl\` is ${url.protocol}//${url.host}. Keys travel over https: alone; http: is for loopback hosts.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** @throws {ConfigurationError} with what to change. */
export function settingsFrom(options: GatewayOptions = {}): Settings {
  checkNames(options, OPTION_NAMES, "Gateway");
  const { auth = "x-api-key", fetch, hooks = {}, dangerouslyAllowBrowser = false } = options;
  const { idempotency = memoryIdempotency() } = options;
  checkNames(hooks, HOOK_NAMES, "`hooks`");
  const key = options.apiKey ?? environment("MALIPO_API_KEY");
  const kind = checkKey(key);
  const publicOnly = !dangerouslyAllowBrowser && isBrowser();
  if (publicOnly && kind === "secret") {
    throw new ConfigurationError(
      "A secret key in a browser is open to whoever looks at the page. Use a public key (pk_) here, " +
        "and the secret one on your server. `dangerouslyAllowBrowser` lifts this.",
    );
  }
  if (auth !== "x-api-key" && auth !== "bearer") {
    throw new ConfigurationError(`\`auth\` is ${String(auth)}. It takes "x-api-key" or "bearer".`);
  }
  if (fetch !== undefined && typeof fetch !== "function") {
    throw new ConfigurationError("`fetch` is not a function.");
  }
  if (typeof idempotency?.begin !== "function") {
    throw new ConfigurationError(
      "`idempotency` is no store: it takes what memoryIdempotency() gives.",
    );
  }
  return {
    key: key as string,
    kind,
    baseUrl: checkBaseUrl(options.baseUrl?.toString() ?? environment("MALIPO_BASE_URL")),
    keyHeader:
      auth === "bearer" ? ["authorization", `Bearer ${key}`] : ["x-api-key", key as string],
    timeoutMs: limit("timeoutMs", options.timeoutMs),
    totalTimeoutMs: limit("totalTimeoutMs", options.totalTimeoutMs),
    maxRetries: limit("maxRetries", options.maxRetries),
    fetch,
    idempotency,
    hooks,
    publicOnly,
  };
}
