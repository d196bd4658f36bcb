import {
  type Attributes,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { ReceiveResult, ReceiveView, WebhookHooks } from "../../webhooks/receiver/hooks.ts";
import { errorTypeOf, MESSAGING } from "./attributes.ts";
import type { OtelHooksOptions } from "./gateway-hooks.ts";
import type { OtelInboxStatsOptions } from "./inbox-stats.ts";
import { linksTo, traceContextOf } from "./trace-context.ts";
import { createWebhookMetrics, type WebhookMetrics } from "./webhook-metrics.ts";

/** Options of `otelWebhookHooks`. */
export interface OtelWebhookHooksOptions extends OtelHooksOptions, OtelInboxStatsOptions {
  /**
   * The route of the receiver, such as `/webhooks`. Set it to see the route in the name of the spans.
   * @default none
   */
  route?: string | undefined;
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
