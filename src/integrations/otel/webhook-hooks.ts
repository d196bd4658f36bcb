import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type Link,
  type Meter,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { EVENT_KINDS } from "../../contract/events.ts";
import type { TraceContext } from "../../webhooks/inbox/inbox-types.ts";
import type {
  ProcessResult,
  ProcessView,
  ReceiveResult,
  ReceiveView,
  WebhookHooks,
} from "../../webhooks/receiver/receiver-hooks.ts";
import type { OtelInboxStatsOptions } from "./checkout-and-inbox.ts";
import type { OtelHooksOptions } from "./gateway-hooks.ts";

/** Options of `otelWebhookHooks`. */
export interface OtelWebhookHooksOptions extends OtelHooksOptions, OtelInboxStatsOptions {
  /**
   * The route of the receiver, such as `/webhooks`. Set it to see the route in the name of the spans.
   * @default none
   */
  route?: string | undefined;
}

/** The conventions for messaging: https://opentelemetry.io/docs/specs/semconv/messaging/ */
const MESSAGING = { "messaging.system": "malipo" };

/** The value of a metric for everything that is not known: each value makes another series. */
const OTHER = "_OTHER";

/** The kind of an event for a metric. Senders may write any kind. */
const metricKind = (kind: string): string =>
  (EVENT_KINDS as readonly string[]).includes(kind) ? kind : OTHER;

// Nine digits may be a phone number.
const isTypeName = (value: unknown): value is string =>
  typeof value === "string" && /^[\w.-]{1,64}$/.test(value) && !/\d{9}/.test(value);

/** A short name of an error: never its message, which may quote the data of a customer. */
function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return [code, name].find(isTypeName) ?? OTHER;
}

/** Every carrier of the OpenTelemetry API is read through such functions. */
const HEADERS = {
  get: ({ header }: ReceiveView, name: string) => header(name),
  keys: () => [],
};

function pathOf(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url, "http://localhost")) return {};
  const { pathname, protocol } = new URL(url, "http://localhost");
  // A query may hold anything, such as a token.
  const scheme = URL.canParse(url) && { "url.scheme": protocol.slice(0, -1) };
  return { "url.path": pathname, ...scheme };
}

// The form of W3C Trace Context, whatever propagator the user has: only these two functions read and write it.
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** A span as W3C headers, to be stored; `undefined` for the span of no provider. */
function traceContextOf(span: Span): TraceContext | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return undefined;
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    ...(state && { tracestate: state }),
  };
}

/** The link to a stored span; none if there was no span. */
function linksTo(stored: TraceContext | undefined): Link[] {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(stored?.traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return [];
  const linked: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(stored?.tracestate && { traceState: createTraceState(stored.tracestate) }),
  };
  return isSpanContextValid(linked) ? [{ context: linked }] : [];
}

/** The metrics of a receiver, named by what happened. */
type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

function createWebhookMetrics(meter: Meter) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`malipo.webhooks.${name}`, { unit, description });
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, { unit: "s", description });
  const received = counter("received", "{delivery}", "Requests, by what became of them.");
  const attempts = counter("attempts", "{attempt}", "Attempts to process an event.");
  const deadLetters = counter("dead_letters", "{event}", "Events whose last attempt failed.");
  const receiveDuration = histogram(
    "malipo.webhooks.receive.duration",
    "From a request to its response.",
  );
  const lag = histogram(
    "malipo.webhooks.lag",
    "From a delivery to the first attempt to process its event.",
  );
  const processDuration = histogram(
    "messaging.process.duration",
    "Duration of an attempt to process an event.",
  );

  return {
    received: ({ result, status, event, durationMs }: ReceiveResult, own: Context) => {
      const attributes = {
        "malipo.result": result,
        "http.response.status_code": status,
        ...(event !== undefined && { "messaging.destination.name": metricKind(event) }),
      };
      received.add(1, attributes, own);
      receiveDuration.record(durationMs / 1_000, attributes, own);
    },
    started: ({ event, attempt, receivedAt }: ProcessView, own: Context) => {
      if (attempt !== 1 || receivedAt === undefined) return;
      // The clock of another process may be ahead.
      const seconds = Math.max(0, Date.now() - receivedAt) / 1_000;
      lag.record(seconds, { "messaging.destination.name": metricKind(event) }, own);
    },
    processed: (
      { event }: ProcessView,
      { error, willRetry, durationMs }: ProcessResult,
      own: Context,
    ) => {
      const destination = { "messaging.destination.name": metricKind(event) };
      const attributes = {
        ...destination,
        ...(error !== undefined && { "error.type": errorTypeOf(error) }),
      };
      const operation = { ...MESSAGING, "messaging.operation.name": "process" };
      processDuration.record(durationMs / 1_000, { ...operation, ...attributes }, own);
      attempts.add(1, attributes, own);
      if (error !== undefined && !willRetry) deadLetters.add(1, destination, own);
    },
  };
}

const receiveHook =
  (
    tracer: Tracer,
    counts: WebhookMetrics,
    route: string | undefined,
  ): NonNullable<WebhookHooks["receive"]> =>
  (view) => {
    const active = context.active();
    // An instrumentation of the HTTP server has made the span of the request: this one is inside.
    const isInside = trace.getSpan(active) !== undefined;
    const parent = isInside ? active : propagation.extract(active, view, HEADERS);
    const options = {
      kind: isInside ? SpanKind.INTERNAL : SpanKind.SERVER,
      attributes: requestAttributes(view, route),
    };
    const name = isInside ? "receive webhook" : [view.method, route].filter(Boolean).join(" ");
    const span = tracer.startSpan(name, options, parent);
    const own = trace.setSpan(parent, span);
    return {
      traceContext: traceContextOf(span),
      run: (work) => context.with(own, work),
      end: (result) => {
        span.setAttributes(receiveAttributes(result));
        // By the conventions, a 4xx is an error of the sender, not of the server.
        if (result.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        counts.received(result, own);
      },
    };
  };

const processHook =
  (tracer: Tracer, counts: WebhookMetrics): NonNullable<WebhookHooks["process"]> =>
  (view) => {
    const { event, attempt, traceContext } = view;
    const options = {
      kind: SpanKind.CONSUMER,
      // An attempt may come hours later, and other attempts follow: another trace, with a link to the
      // request. The active span is that of whatever woke the worker.
      root: true,
      links: linksTo(traceContext),
      attributes: {
        ...MESSAGING,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": event,
        "messaging.message.id": view.idempotencyKey,
        "messaging.message.body.size": view.bodyBytes,
        "malipo.attempt": attempt,
      },
    };
    const span = tracer.startSpan(`process ${event}`, options, ROOT_CONTEXT);
    const own = trace.setSpan(ROOT_CONTEXT, span);
    counts.started(view, own);
    return {
      run: (work) => context.with(own, work),
      end: (result) => {
        const { error, willRetry } = result;
        if (error !== undefined) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttributes({
            "error.type": errorTypeOf(error),
            "malipo.will_retry": willRetry,
          });
        }
        span.end();
        counts.processed(view, result, own);
      },
    };
  };

const requestAttributes = (view: ReceiveView, route: string | undefined): Attributes => ({
  "http.request.method": view.method,
  ...pathOf(view.url),
  ...(route !== undefined && { "http.route": route }),
  ...(view.bodyBytes !== undefined && { "http.request.body.size": view.bodyBytes }),
});

function receiveAttributes({
  status,
  result,
  event,
  idempotencyKey,
  error,
}: ReceiveResult): Attributes {
  return {
    "http.response.status_code": status,
    "malipo.result": result,
    ...(status >= 500 && { "error.type": `${status}` }),
    ...(status < 500 && error !== undefined && { "malipo.error": errorTypeOf(error) }),
    ...(event !== undefined && {
      ...MESSAGING,
      "messaging.operation.name": "receive",
      "messaging.operation.type": "receive",
      "messaging.destination.name": event,
    }),
    ...(idempotencyKey !== undefined && { "messaging.message.id": idempotencyKey }),
  };
}

/**
 * Makes hooks that record each request and each attempt of a receiver as OpenTelemetry spans and
 * metrics. The span of a request is that of an HTTP server, or inside of it if an instrumentation
 * has made one. The span of an attempt is another trace, with a link to the request: it may run
 * hours later, in another process. Your handler runs inside of it. No span and no metric contains a
 * body, a signature, a secret, a query or the message of an error.
 *
 * | metric | unit | attributes |
 * |---|---|---|
 * | `malipo.webhooks.received` (counter) | `{delivery}` | `malipo.result`, `http.response.status_code`, `messaging.destination.name` |
 * | `malipo.webhooks.receive.duration` (histogram) | `s` | the same |
 * | `malipo.webhooks.lag` (histogram): from the delivery to the first attempt | `s` | `messaging.destination.name` |
 * | `messaging.process.duration` (histogram) | `s` | `messaging.destination.name`, `error.type` |
 * | `malipo.webhooks.attempts` (counter) | `{attempt}` | `messaging.destination.name`, `error.type` |
 * | `malipo.webhooks.dead_letters` (counter) | `{event}` | `messaging.destination.name` |
 *
 * @example
 * ```ts
 * import { otelWebhookHooks } from "malipo/otel";
 *
 * const receiver = createWebhookReceiver({ secret, hooks: otelWebhookHooks({ route: "/webhooks" }) });
 * ```
 */
export function otelWebhookHooks({
  tracer = trace.getTracer("malipo"),
  meter = metrics.getMeter("malipo"),
  route,
}: OtelWebhookHooksOptions = {}): WebhookHooks {
  const counts = createWebhookMetrics(meter);
  return {
    receive: receiveHook(tracer, counts, route),
    process: processHook(tracer, counts),
  };
}
