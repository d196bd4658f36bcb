import type { Endpoint } from "../contract/endpoints.ts";
import { GatewayError, withKey } from "../errors/base.ts";
import { ConfigurationError, KeyTypeError } from "../errors/configuration.ts";
import { describeName, MAX_TIMEOUT_MS } from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import type { WrittenJson } from "../internal/json.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import type { Redactor } from "../internal/redact.ts";
import { missingGlobal } from "../internal/utf8.ts";
import { checkCallOptions } from "./call-options.ts";
import { ownFieldsOf, rejectProto, writeBody } from "./http/body-text.ts";
import type { CallContext } from "./http/http-types.ts";
import { fillPath, type Query, queryString } from "./http/url.ts";
import { onDemand } from "./on-demand.ts";
import type { CreateOptions } from "./options.ts";
import { type Result, resultOf, type Unwrapped } from "./response/result.ts";
import { type Done, type PreparedCall, sendAndUnwrap } from "./response/unwrap.ts";
import type { Settings } from "./settings.ts";

/** What goes into a row: its path parameters, its body, its query. */
export interface CallInput {
  readonly path?: readonly unknown[];
  readonly query?: Query | undefined;
  /** Checked even if it is `undefined`; leave the field out to send no body. */
  readonly body?: unknown;
  /** Checks the body. Default: the schema of the row, which is loaded. */
  readonly check?: (name: string, body: unknown, redactor: Redactor) => unknown;
  /** What errors and hooks call the endpoint. Default: the row's method and path. */
  readonly name?: string;
  /** A limit on the whole call beside its own, in milliseconds. */
  readonly atMostMs?: number;
}

/** Makes a call by its row. Every method of the gateway ends here. */
export type Call = <T>(endpoint: Endpoint, input: CallInput, options?: CreateOptions) => Result<T>;

/**
 * Checks that the key may call an endpoint here. In a browser, a sandbox key may call what a public
 * key may call.
 *
 * @throws {KeyTypeError} before anything is sent.
 */
function checkKeyKind({ name, endpoint, settings }: CallContext): void {
  const { kind, publicOnly } = settings;
  if (endpoint.keys.includes(publicOnly ? "public" : kind)) return;
  const given = kind === "public" ? "a public key" : `a ${kind} key in a browser`;
  throw new KeyTypeError(
    `${name} requires a secret key; this gateway has ${given}. Nothing was sent. Make this call on your server.`,
  );
}

/** What errors, hooks and idempotency records call an endpoint. */
export const nameOf = (
  { method, path }: Endpoint,
  { name }: CallInput,
  redactor: Redactor,
): string =>
  // A path of the caller's own may hold anything.
  name ?? maskPhones(redactor.text(`${method} ${path}`));

/**
 * The headers of a request. The key's header comes last, so that none of the caller's can replace it.
 *
 * @throws {ConfigurationError} for a name or a value that no header can have.
 */
function requestHeaders(
  own: Record<string, string> | Headers = {},
  { keyHeader, userAgent }: Settings,
  hasBody: boolean,
): Headers {
  const headers = new Headers({
    accept: "application/json",
    ...(userAgent !== undefined && { "user-agent": userAgent }),
  });
  if (hasBody) headers.set("content-type", "application/json");
  const entries = own instanceof Headers ? own : Object.entries(own);
  for (const [name, value] of entries) {
    try {
      headers.set(name, value);
    } catch {
      // The runtime's own message quotes the value, which may be a secret.
      throw new ConfigurationError(
        `The header ${describeName(name)} cannot be sent: its name or its value has characters that a header cannot have.`,
      );
    }
  }
  headers.set(...keyHeader);
  return headers;
}

const loadKeyedCalls = onDemand("idempotency keys", () => import("./keyed-call.ts"));
const loadBodyChecks = onDemand("request bodies", () => import("./http/check-body.ts"));

async function bodyOf(
  { name, endpoint: { request }, settings }: CallContext,
  { body, check }: CallInput,
): Promise<WrittenJson> {
  const { redactor } = settings;
  rejectProto(name, body);
  if (check !== undefined) return writeBody(name, check(name, body, redactor), redactor);
  // Of any object no field is checked, so that it is written before its caller can change it.
  if (request === undefined || (request === "anyObject" && isObject(body))) {
    return writeBody(name, body, redactor);
  }
  const given = ownFieldsOf(name, body);
  const { checkBody } = await loadBodyChecks();
  return writeBody(name, checkBody(name, request, given, settings), redactor);
}

/**
 * Waits for a result. An error of a call is made in a callback of `fetch` or of a timer, from where
 * its stack leads nowhere. From here it leads through each `await` to the caller's own file.
 */
async function withStack<T>(result: Promise<T>, hasKey: boolean): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (hasKey) withKey(error, "unknown");
    try {
      if (error instanceof GatewayError) Error.captureStackTrace?.(error);
    } catch {
      // A hook has frozen it.
    }
    throw error;
  }
}

/** Checks options, key, path and body of a call, sends it, and unwraps the response. */
async function makeCall(
  settings: Settings,
  endpoint: Endpoint,
  givenInput: CallInput,
  given: CreateOptions,
): Promise<Done> {
  if (globalThis.Request === undefined) throw new ConfigurationError(missingGlobal("Request"));
  // Without a prototype, as the options: a field that it leaves out is not looked for in `Object.prototype`.
  const input: CallInput = Object.assign(Object.create(null), givenInput);
  const name = nameOf(endpoint, input, settings.redactor);
  const context: CallContext = { name, endpoint, settings };
  const options = checkCallOptions(endpoint, given);
  const {
    timeoutMs = settings.timeoutMs,
    totalTimeoutMs = settings.totalTimeoutMs,
    maxRetries = settings.maxRetries,
    signal,
    sendBefore,
  } = options;
  checkKeyKind(context);
  const address = fillPath(name, endpoint.path, input.path ?? []) + queryString(name, input.query);
  const body = "body" in input ? await bodyOf(context, input) : undefined;
  const request = {
    method: endpoint.method,
    url: settings.baseUrl + address,
    headers: requestHeaders(options.headers, settings, body !== undefined),
    body: body?.text,
  };
  const prepared: PreparedCall = {
    context,
    request,
    limits: {
      timeoutMs,
      totalTimeoutMs: Math.min(totalTimeoutMs, input.atMostMs ?? MAX_TIMEOUT_MS),
      maxRetries,
      signal,
      sendBefore,
    },
  };
  if (options.idempotencyKey === undefined) return sendAndUnwrap(prepared);
  const { callOnce } = await loadKeyedCalls();
  return callOnce(prepared, { address, parameters: body?.value }, options);
}

/** Makes the function that makes every call. */
export const createCall =
  (settings: Settings): Call =>
  <T>(endpoint: Endpoint, input: CallInput, options: CreateOptions = {}) => {
    const made = makeCall(settings, endpoint, input, options) as Promise<Unwrapped<T>>;
    const given = Object(options);
    // Only an own option: an inherited one is not the caller's.
    const hasKey = Object.hasOwn(given, "idempotencyKey") && given.idempotencyKey !== undefined;
    return resultOf(withStack(made, hasKey));
  };
