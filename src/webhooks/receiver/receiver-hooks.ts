import type { Receipt, TraceContext } from "../inbox/inbox-types.ts";

/** A request, as the `receive` hook sees it. Nothing of it is verified yet. */
export interface ReceiveView {
  readonly method: string;
  /** The path and the query, or the whole URL; `undefined` if the adapter does not know it. */
  readonly url: string | undefined;
  /** The value of a header, by its name in any casing. */
  header(name: string): string | undefined;
  /** The size of the body; `undefined` if it was not read. */
  readonly bodyBytes: number | undefined;
}

/** How a request ended. */
export interface ReceiveResult {
  /** The status of the response. */
  readonly status: number;
  /**
   * What became of the delivery: the kind of its receipt; `rejected` if it was not verified;
   * `unavailable` if it could not be stored now.
   */
  readonly result: Receipt["kind"] | "rejected" | "unavailable";
  /** The event kind, of a verified delivery. */
  readonly event?: string | undefined;
  /** The `idempotencyKey` that the handler gets, of a verified delivery. */
  readonly idempotencyKey?: string | undefined;
  /** Why the delivery is not stored. */
  readonly error?: unknown;
  /** In milliseconds. */
  readonly durationMs: number;
}

/** One attempt to process an event, as the `process` hook sees it. */
export interface ProcessView {
  /** The event kind. */
  readonly event: string;
  /** As the handler gets it. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** When the event was received, in milliseconds since the epoch, if the inbox stores it. */
  readonly receivedAt: number | undefined;
  readonly bodyBytes: number;
  /** What the `receive` hook returned for this event, in any process. */
  readonly traceContext: TraceContext | undefined;
}

/** How an attempt ended. */
export interface ProcessResult {
  /** Why the attempt failed; `undefined` if the event is processed. */
  readonly error?: unknown;
  /** Whether the event is retried. */
  readonly willRetry: boolean;
  /** In milliseconds. */
  readonly durationMs: number;
}

/** What a hook may return. */
export interface Observation<Result> {
  /** Called with the result. */
  readonly end?: ((result: Result) => void) | undefined;
  /** Calls `work` and returns what it returns. Set it to run the work inside of a context, such as that of a span. */
  readonly run?: (<T>(work: () => T) => T) | undefined;
}

/** What the `receive` hook may return. */
export interface ReceiveObservation extends Observation<ReceiveResult> {
  /** Stored with the event. The `process` hook gets it. */
  readonly traceContext?: TraceContext | undefined;
}

/**
 * Functions that a receiver calls while it works, for logs, metrics and traces. What they get holds no
 * body, no signature and no secret. A hook that throws changes no response and no attempt, and nothing
 * waits for a hook.
 *
 * @example
 * ```ts
 * const receiver = createWebhookReceiver({
 *   secret,
 *   hooks: {
 *     process: ({ event, attempt }) => ({
 *       end: ({ durationMs, error }) => log.info({ event, attempt, durationMs, error }),
 *     }),
 *   },
 * });
 * ```
 */
export interface WebhookHooks {
  /** Called with each request, before its signature is checked. Set it to log, measure or trace deliveries. */
  receive?: ((view: ReceiveView) => ReceiveObservation | undefined) | undefined;
  /** Called before each attempt to process an event. Set it to log, measure or trace your handlers. */
  process?: ((view: ProcessView) => Observation<ProcessResult> | undefined) | undefined;
}

/** Calls a hook. Never throws: a log that fails must not lose an event. */
function callHook<Returned>(hook: () => Returned): Returned | undefined {
  try {
    const returned = hook();
    // A hook that is async by mistake.
    Promise.resolve(returned).catch(() => {});
    return returned;
  } catch {
    return undefined;
  }
}

/**
 * Works as the observation of a hook wants it, and exactly once, whatever the hook does. Its `end` is
 * called with the result of the work.
 */
export async function observed<View, Seen extends Observation<never>, Value>(
  hook: ((view: View) => Seen | undefined) | undefined,
  view: () => View,
  work: (seen: Seen | undefined) => Promise<Value>,
  resultOf: (value: Value) => object,
): Promise<Value> {
  if (hook === undefined) return work(undefined);
  const since = performance.now();
  const seen = callHook(() => hook(view()));
  let running: Promise<Value> | undefined;
  const once = () => {
    running ??= work(seen);
    return running;
  };
  callHook(() => seen?.run?.(once));
  const value = await once();
  const result = { ...resultOf(value), durationMs: performance.now() - since };
  callHook(() => seen?.end?.(result as never));
  return value;
}
