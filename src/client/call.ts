import type { Endpoint } from "../contract/endpoints.ts";
import { GatewayError } from "../errors/base.ts";
import type { Fence } from "../idempotency/fence.ts";
import { MAX_TIMEOUT_MS, ownOptions } from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import type { Redactor } from "../internal/redact.ts";
import { bodyText, copyOf } from "./http/body-text.ts";
import { send } from "./http/client.ts";
import { requestHeaders } from "./http/headers.ts";
import type { CallContext } from "./http/types.ts";
import { fillPath, type Query, queryString } from "./http/url.ts";
import { checkKeyKind } from "./key-guard.ts";
import type { Done } from "./keyed-call.ts";
import { onDemand } from "./on-demand.ts";
import type { CreateOptions } from "./options.ts";
import { type Result, resultOf, type Unwrapped } from "./response/result.ts";
import { unwrap } from "./response/unwrap.ts";
import { limitsOf, type Settings } from "./settings.ts";

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

const EFFECTS = { read: "reads", idempotent: "may be repeated" } as const;
const CALL_OPTIONS = ["signal", "timeoutMs", "totalTimeoutMs", "maxRetries", "headers"];
const CREATE_OPTIONS = [...CALL_OPTIONS, "idempotencyKey", "idempotencyWaitMs"];

function checkCallOptions({ effect }: Endpoint, options: CreateOptions): CreateOptions {
  return effect === "create"
    ? ownOptions(options, CREATE_OPTIONS, "A call")
    : ownOptions(options, CALL_OPTIONS, `A call that ${EFFECTS[effect]}`);
}

/** What errors, hooks and idempotency records call an endpoint. */
export const nameOf = (
  { method, path }: Endpoint,
  { name }: CallInput,
  redactor: Redactor,
): string =>
  // A path of the caller's own may hold anything.
  name ?? maskPhones(redactor.text(`${method} ${path}`));

const loadKeyedCalls = onDemand("idempotency keys", () => import("./keyed-call.ts"));
const loadBodyChecks = onDemand("request bodies", () => import("./http/check-body.ts"));
const loadDrift = onDemand(
  "`hooks.drift`",
  async () => (await import("./response/drift.ts")).driftReporter,
);

async function bodyOf(
  { name, endpoint: { request }, settings: { redactor } }: CallContext,
  { body, check }: CallInput,
): Promise<string> {
  if (check !== undefined) return bodyText(name, check(name, body, redactor), redactor);
  // Of any object no field is checked, so that it is written before its caller can change it.
  if (request === undefined || (request === "anyObject" && isObject(body))) {
    return bodyText(name, body, redactor);
  }
  const given = copyOf(name, body);
  const { checkBody } = await loadBodyChecks();
  return bodyText(name, checkBody(name, request, given, redactor), redactor);
}

/**
 * Waits for a result. An error of a call is made in a callback of `fetch` or of a timer, from where
 * its stack leads nowhere. From here it leads through each `await` to the caller's own file.
 */
async function withStack<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
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
  input: CallInput,
  given: CreateOptions,
): Promise<Done> {
  const name = nameOf(endpoint, input, settings.redactor);
  const context: CallContext = { name, endpoint, settings };
  const options = checkCallOptions(endpoint, given);
  const limits = limitsOf(options, settings);
  const totalTimeoutMs = Math.min(limits.totalTimeoutMs, input.atMostMs ?? MAX_TIMEOUT_MS);
  checkKeyKind(context);
  const address = fillPath(name, endpoint.path, input.path ?? []) + queryString(name, input.query);
  const body = "body" in input ? await bodyOf(context, input) : undefined;
  const request = {
    method: endpoint.method,
    url: settings.baseUrl + address,
    headers: requestHeaders(options.headers, settings, body !== undefined),
    body,
  };
  const perform = async (signal: AbortSignal | undefined, beforeSend?: Fence): Promise<Done> => {
    const sent = await send(context, request, { ...limits, totalTimeoutMs, signal, beforeSend });
    const learned = settings.loadLearned && (await settings.loadLearned());
    const drift = settings.hooks.drift && (await loadDrift().catch(() => undefined));
    const found = unwrap(context, sent, {
      listPath: learned?.listPath(name),
      drift: drift?.(settings.hooks, learned?.profile),
    });
    return { ...sent, ...found };
  };
  const performOnce = async () => {
    const { callOnce } = await loadKeyedCalls();
    return callOnce({ context, address, body, totalTimeoutMs, perform }, options);
  };
  return await withStack(
    options.idempotencyKey === undefined ? perform(options.signal) : performOnce(),
  );
}

/** Makes the function that makes every call. */
export const createCall =
  (settings: Settings): Call =>
  <T>(endpoint: Endpoint, input: CallInput, options: CreateOptions = {}) =>
    resultOf(makeCall(settings, endpoint, input, options) as Promise<Unwrapped<T>>);
