import type { Context, Meter } from "@opentelemetry/api";
import type { ProcessResult, ProcessView, ReceiveResult } from "../../webhooks/receiver/hooks.ts";
import { errorTypeOf, MESSAGING, metricKind } from "./attributes.ts";

/** The metrics of a receiver, named by what happened. */
export interface WebhookMetrics {
  received(result: ReceiveResult, context: Context): void;
  /** An attempt begins. */
  started(view: ProcessView, context: Context): void;
  processed(view: ProcessView, result: ProcessResult, context: Context): void;
}

export function createWebhookMetrics(meter: Meter): WebhookMetrics {
  const received = meter.createCounter("malipo.webhooks.received", {
    unit: "{delivery}",
    description: "Requests, by what became of them.",
  });
  const receiveDuration = meter.createHistogram("malipo.webhooks.receive.duration", {
    unit: "s",
    description: "From a request to its response.",
  });
  const lag = meter.createHistogram("malipo.webhooks.lag", {
    unit: "s",
    description: "From a delivery to the first attempt to process its event.",
  });
  const processDuration = meter.createHistogram("messaging.process.duration", {
    unit: "s",
    description: "Duration of an attempt to process an event.",
  });
  const attempts = meter.createCounter("malipo.webhooks.attempts", {
    unit: "{attempt}",
    description: "Attempts to process an event.",
  });
  const deadLetters = meter.createCounter("malipo.webhooks.dead_letters", {
    unit: "{event}",
    description: "Events whose last attempt failed.",
  });

  return {
    received: ({ result, status, event, durationMs }, context) => {
      const attributes = {
        "malipo.result": result,
        "http.response.status_code": status,
        ...(event !== undefined && { "messaging.destination.name": metricKind(event) }),
      };
      received.add(1, attributes, context);
      receiveDuration.record(durationMs / 1_000, attributes, context);
    },
    started: ({ event, attempt, receivedAt }, context) => {
      if (attempt !== 1 || receivedAt === undefined) return;
      // The clock of another process may be ahead.
      const seconds = Math.max(0, Date.now() - receivedAt) / 1_000;
      lag.record(seconds, { "messaging.destination.name": metricKind(event) }, context);
    },
    processed: ({ event }, { error, willRetry, durationMs }, context) => {
      const destination = { "messaging.destination.name": metricKind(event) };
      const attributes = {
        ...destination,
        ...(error !== undefined && { "error.type": errorTypeOf(error) }),
      };
      const operation = { ...MESSAGING, "messaging.operation.name": "process" };
      processDuration.record(durationMs / 1_000, { ...operation, ...attributes }, context);
      attempts.add(1, attributes, context);
      if (error !== undefined && !willRetry) deadLetters.add(1, destination, context);
    },
  };
}
