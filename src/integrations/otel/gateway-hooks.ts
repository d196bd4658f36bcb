import {
  type Attributes,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptResult, GatewayHooks, RequestView } from "../../client/hooks.ts";

/** Options of `otelHooks`. */
export interface OtelHooksOptions {
  /**
   * The tracer that makes the spans. Set it if you do not use the global provider, or to name the
   * tracer after your application.
   * @default the tracer "malipo" of the global provider
   */
  tracer?: Tracer | undefined;
}

// The names are OpenTelemetry's semantic conventions for HTTP clients:
// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
function requestAttributes({ endpoint, method, url, attempt }: RequestView): Attributes {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === "http:" ? 80 : 443;
  return {
    "http.request.method": method,
    "url.full": url,
    "server.address": hostname,
    "server.port": port === "" ? defaultPort : Number(port),
    ...(attempt > 1 && { "http.request.resend_count": attempt - 1 }),
    "malipo.endpoint": endpoint,
    "malipo.attempt": attempt,
  };
}

function failureAttributes({ status, error, aborted }: AttemptResult): Attributes | undefined {
  // A request that was aborted on its way may have reached the service.
  if (aborted) return { "error.type": "aborted", "malipo.outcome": "unknown" };
  if (error === undefined) return undefined;
  return { "error.type": status?.toString() ?? error.code, "malipo.outcome": error.outcome };
}

/**
 * Makes hooks that record each attempt of each call as an OpenTelemetry span. The span is a child of
 * the active span. No span contains an API key, a body or a full phone number.
 *
 * | attribute | meaning |
 * |---|---|
 * | `http.request.method`, `url.full`, `server.address`, `server.port`, `http.response.status_code`, `http.request.resend_count`, `error.type` | as in OpenTelemetry's conventions for HTTP clients |
 * | `malipo.endpoint` | the endpoint, such as `GET /payments/{reference}` |
 * | `malipo.attempt` | 1 for the first attempt of a call |
 * | `malipo.outcome` | only for a failed attempt: `not_sent`, `rejected` or `unknown` |
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
      const attributes = requestAttributes(view);
      const options = { kind: SpanKind.CLIENT, attributes };
      const span = tracer.startSpan(view.endpoint, options, context.active());
      return (result) => {
        const { status } = result;
        if (status !== undefined) span.setAttribute("http.response.status_code", status);
        const failure = failureAttributes(result);
        if (failure !== undefined) {
          // Without a message: the message of an error may quote the response.
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttributes(failure);
        }
        span.end();
      };
    },
  };
}
