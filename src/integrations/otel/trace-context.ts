import {
  createTraceState,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
} from "@opentelemetry/api";
import type { TraceContext } from "../../webhooks/inbox/types.ts";

// The form of W3C Trace Context, whatever propagator the user has: only this file reads what it wrote.
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** A span as W3C headers, to be stored; `undefined` for the span of no provider. */
export function traceContextOf(span: Span): TraceContext | undefined {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return undefined;
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    ...(state && { tracestate: state }),
  };
}

/** The link to a stored span; none if there was no span. */
export function linksTo(trace: TraceContext | undefined): Link[] {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(trace?.traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return [];
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(trace?.tracestate && { traceState: createTraceState(trace.tracestate) }),
  };
  return isSpanContextValid(context) ? [{ context }] : [];
}
