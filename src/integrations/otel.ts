/**
 * Spans of OpenTelemetry.
 *
 * @module malipo/otel
 */

import {
  type Attributes,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { GatewayHooks, RequestView } from "../client/hooks.ts";

/** How calls are traced. */
export interface OtelHooksOptions {
  /** @default the tracer "malipo" of the global provider */
  tracer?: Tracer | undefined;
}

/** By OpenTelemetry's conventions for HTTP clients. No key, no body, phone numbers masked. */
function attributesOf({ endpoint, method, url, attempt }: RequestView): Attributes {
  const { hostname, port, protocol } = new URL(url);
  return {
    "http.request.method": method,
    "url.full": url,
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
    ...(attempt > 1 && { "http.request.resend_count": attempt - 1 }),
    "malipo.endpoint": endpoint,
    "malipo.attempt": attempt,
  };
}

/**
 * Traces every attempt of every call as a span of OpenTelemetry, a child of whatever span is active:
 * which endpoint, which attempt, how it ended, and for a failed one its `outcome`, the one question
 * that money asks. No span holds a key, a body or a phone number.
 *
 * | attribute | meaning |
 * |---|---|
 * | `http.request.method`, `url.full`, `server.address`, `server.port`, `http.response.status_code`, `http.request.resend_count`, `error.type` | as OpenTelemetry's conventions for HTTP clients have them |
 * | `malipo.endpoint` | the row of the interface, such as `GET /payments/{reference}` |
 * | `malipo.attempt` | 1 for the first attempt of a call |
 * | `malipo.outcome` | of a failed attempt: `not_sent`, `rejected` or `unknown` |
 *
 * @example
 * ```ts
 * import { otelHooks } from "malipo/otel";
 *
 * const gateway = new Gateway({ hooks: otelHooks() });
 * ```
 */
export function otelHooks({
  tracer = trace.getTracer("malipo"),
}: OtelHooksOptions = {}): GatewayHooks {
  return {
    request: (view) => {
      const attributes = attributesOf(view);
      const options = { kind: SpanKind.CLIENT, attributes };
      const span = tracer.startSpan(view.endpoint, options, context.active());
      return ({ status, error, aborted }) => {
        if (status !== undefined) span.setAttribute("http.response.status_code", status);
        const type = aborted ? "aborted" : error && (status?.toString() ?? error.code);
        if (type !== undefined) {
          // Without the message: an error of the service's quotes what it answered.
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute("error.type", type);
        }
        // An abort in flight may have reached the service.
        const outcome = aborted ? "unknown" : error?.outcome;
        if (outcome !== undefined) span.setAttribute("malipo.outcome", outcome);
        span.end();
      };
    },
  };
}
