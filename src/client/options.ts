import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import type { ProfileFile } from "../profile/profile-types.ts";
import type { GatewayObserver } from "./gateway-observer.ts";
import type { GatewayHooks } from "./hooks.ts";
import type { Wakeups } from "./wakeups/local.ts";
import type { WakeupsEngine } from "./wakeups/wakeups-engine.ts";

/** The platform's `fetch`, or any function that takes an address and an init. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How a {@link Gateway} is set up. */
export interface GatewayOptions<Key extends string = string> {
  /**
   * The API key: `pk_...` (public), `sk_...` (secret) or `sb_...` (sandbox). Set it if the key
   * does not come from the environment, such as a secret manager or a merchant's own record. With a
   * literal `"pk_..."`, the type of the gateway has only the calls that a public key may make.
   *
   * @default the environment variable `MALIPO_API_KEY`
   */
  apiKey?: Key | undefined;
  /**
   * The address of the service, with its path prefix: `https:`, or `http:` on a loopback host, or that of a
   * sandbox in a test network (`testNetwork`). Set it if the address does not come from the environment, such as `sandbox.baseUrl` in tests.
   *
   * @default the environment variable `MALIPO_BASE_URL`
   */
  baseUrl?: string | URL | undefined;
  /**
   * Accepts `http:` on a private name or address, such as `http://gateway:4010/api/v1`, for a key that starts with
   * `sb_net_`, and receivers with such a name. Set it if your shop runs in one container and `malipo sandbox --network`
   * in another. It changes nothing for any other key: a secret key never travels unencrypted.
   *
   * @default whether the environment variable `MALIPO_TEST_NETWORK` is `1`
   */
  testNetwork?: boolean | undefined;
  /**
   * The header that carries the key: `X-API-Key`, or `Authorization: Bearer`. Set `"bearer"` if a
   * proxy between you and the service removes `X-API-Key`.
   *
   * @default "x-api-key"
   */
  auth?: "x-api-key" | "bearer" | undefined;
  /**
   * The time limit of one attempt, response body included, in milliseconds. Lower it if a user
   * waits for a read; raise it on a slow network.
   *
   * @default 15_000
   */
  timeoutMs?: number | undefined;
  /**
   * The time limit of a whole call, in milliseconds: all its attempts, the waits between them, and
   * the response bodies. Lower it if your own caller has a shorter limit, such as a function that
   * is stopped after 30 seconds.
   *
   * @default 60_000
   */
  totalTimeoutMs?: number | undefined;
  /**
   * How many times a failed attempt is retried automatically, if a retry is safe. Set 0 if you
   * retry yourself, such as in a job queue.
   *
   * @default 2
   */
  maxRetries?: number | undefined;
  /**
   * The largest response body that is read, in bytes. A larger body is cut off, and the call fails
   * with an `UnexpectedResponseError`. Lower it if memory is scarce; raise it if your lists of
   * payments are longer than that.
   *
   * @default 10_485_760 (10 MiB)
   */
  maxResponseBytes?: number | undefined;
  /**
   * The function that sends each request. It gets the URL and an init whose body is a string. Set it
   * to `sandbox.fetch` in tests, or to a `fetch` that goes through a proxy.
   *
   * @default the global `fetch`, looked up at each call
   */
  fetch?: Fetch | undefined;
  /**
   * What remembers idempotency keys: an engine, or a store of one. Set it if payments must not be sent twice
   * across restarts or across several processes: `sqlite()`, `postgres()` and `redis()` do that.
   *
   * @default memory, for this gateway and this process only
   */
  idempotency?: IdempotencyStore | IdempotencyEngine | undefined;
  /**
   * What makes a wait for a payment read it at once: `createWakeups()`, or an engine that carries wake-ups
   * between processes, `postgres()` or `redis()`. Set it if your webhooks know of a payment sooner than the next
   * read, and give your receiver the same. The option `wake` of a wait takes its place.
   *
   * @default none
   */
  wakeups?: Wakeups | WakeupsEngine | undefined;
  /** Functions that are called at each attempt, response and retry. Set them for logs and traces. */
  hooks?: GatewayHooks | undefined;
  /**
   * What learns how your service responds: `createObserver()` of `malipo/learn`. It keeps shapes, never
   * values, and no call waits for it. Set it in staging or in production, to make a profile.
   *
   * @default none
   */
  observer?: GatewayObserver | undefined;
  /**
   * What was learned of your service: the parsed content of `malipo.service.json`. With it,
   * `hooks.drift` is also called if a response lacks a field that was always there, has another
   * type, or has a status that was never seen. Set it together with `hooks.drift`.
   *
   * @default none
   */
  profile?: ProfileFile | undefined;
  /**
   * Allows a secret key in a browser, and allows a sandbox key in a browser to make every call.
   * Everybody who opens the page can read the key and take the merchant's money, so set it only for
   * a tool inside your own company.
   *
   * @default false
   */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** Options that every call takes as its last argument. */
export interface CallOptions {
  /**
   * Ends the call at once, also while it waits for a retry. The call rejects with the signal's own
   * reason. Set it if the call may become useless, such as when the customer closes the page.
   */
  signal?: AbortSignal | undefined;
  /**
   * The time limit of one attempt of this call, in milliseconds. Set it if this call should be
   * quicker, or may be slower, than the others.
   *
   * @default `timeoutMs` of the gateway
   */
  timeoutMs?: number | undefined;
  /**
   * The time limit of this whole call, in milliseconds. Set it if the caller of this call has its own
   * limit.
   *
   * @default `totalTimeoutMs` of the gateway
   */
  totalTimeoutMs?: number | undefined;
  /**
   * How many times this call is retried automatically, if a retry is safe. Set 0 if you retry
   * this call yourself.
   *
   * @default `maxRetries` of the gateway
   */
  maxRetries?: number | undefined;
  /**
   * Additional request headers, such as a trace id. They cannot replace the header that carries the
   * key.
   */
  headers?: Record<string, string> | Headers | undefined;
}

/** Options of a call that creates something. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes the call happen at most once, however often it is made: the same key with the same
   * parameters returns the first result. 1 to 255 characters. Set it for every payment, to the id of
   * the order and the number of the try, such as `"ORDER-42/1"`.
   *
   * @throws {IdempotencyConflictError} if the key was used with other parameters.
   * @throws {OutcomeUnknownError} if an earlier attempt with this key may have happened.
   */
  idempotencyKey?: string | undefined;
  /**
   * How long this call waits for an attempt that another call makes with the same idempotency key, in
   * this process or in another one. Lower it if a user waits for your response; set 0 to get the
   * error at once.
   *
   * @default `totalTimeoutMs` of the call
   * @throws {AttemptInFlightError} if that attempt does not end in this time.
   */
  idempotencyWaitMs?: number | undefined;
  /**
   * Until when this call may be sent: a `Date`, or milliseconds since 1970. Right before the bytes of
   * each attempt leave, it is compared with the wall clock, and with the time that the monotonic clock has
   * counted since the call was made. From then on nothing is sent, and an idempotency key of this call is free
   * again. Set it if a customer must not be prompted long after the click, such as behind a queue: a minute
   * after the click. It neither ends an attempt that was sent before, nor a wait for another call with the same
   * key, whose result this call returns at any time.
   *
   * A retry that would come later is not waited for: the call fails at once with the error of the last
   * attempt, such as a `RateLimitError` with its `retryAfterMs`.
   *
   * @default no limit but `totalTimeoutMs`
   * @throws {TimeoutError} with the outcome `not_sent`, if it could not be sent before.
   */
  sendBefore?: Date | number | undefined;
}
