import type { Context, Meter } from "@opentelemetry/api";
import type { ProcessResult, ProcessView, ReceiveResult } from "../../webhooks/receiver/hooks.ts";
import { errorTypeOf, MESSAGING, metricKind } from "./attributes.ts";

/** The metrics of a receiver, named by what happened. */
export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

export function createWebhookMetrics(meter: Meter) {
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
    received: ({ result, status, event, durationMs }: ReceiveResult, context: Context) => {
      const attributes = {
        "malipo.result": result,
        "http.response.status_code": status,
        ...(event !== undefined && { "messaging.destination.name": metricKind(event) }),
      };
      received.add(1, attributes, context);
      receiveDuration.record(durationMs / 1_000, attributes, context);
    },
    started: ({ event, attempt, receivedAt }: ProcessView, context: Context) => {
      if (attempt !== 1 || receivedAt === undefined) return;
      // The clock of another process may be ahead.
      const seconds = Math.max(0, Date.now() - receivedAt) / 1_000;
      lag.record(seconds, { "messaging.destination.name": metricKind(event) }, context);
    },
    processed: (
      { event }: ProcessView,
      { error, willRetry, durationMs }: ProcessResult,
      context: Context,
    ) => {
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
