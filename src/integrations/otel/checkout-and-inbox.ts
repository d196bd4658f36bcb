import {
  type BatchObservableResult,
  type Meter,
  metrics,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { OrderChange } from "../../checkout/rules/order-change.ts";
import type { InboxStats } from "../../webhooks/inbox/inbox-types.ts";
import type { OtelHooksOptions } from "./gateway-hooks.ts";

/** Options of `otelInboxStats`. */
export interface OtelInboxStatsOptions {
  /**
   * The meter that makes the gauges. Set it if you do not use the global provider, or to name the meter
   * after your application.
   * @default the meter "malipo" of the global provider
   */
  meter?: Meter | undefined;
}

type Row = readonly [description: string, value: (stats: InboxStats) => number];

/** The age of a moment in seconds. The clock of another process may be ahead. */
const secondsSince = (moment: number | null): number =>
  moment === null ? 0 : Math.max(0, Date.now() - moment) / 1_000;

const EVENTS: Readonly<Record<string, Row>> = {
  retrying: ["Waiting events whose last attempt failed.", ({ retrying }) => retrying],
  waiting: ["Events to be processed.", ({ waiting }) => waiting],
  unhandled: [
    "Waiting events of kinds that this process does not take.",
    ({ unhandled }) => unhandled,
  ],
  running: ["Events in progress, in all processes.", ({ running }) => running],
  dead_letters: ["Dead letters that wait for a person.", ({ dead }) => dead],
  conflicts: ["Conflicts that wait for a person.", ({ conflicts }) => conflicts],
};

const SECONDS: Readonly<Record<string, Row>> = {
  lag: ["How long the first due event has been due.", ({ lagMs }) => lagMs / 1_000],
  oldest_waiting: [
    "The age of the oldest waiting event; 0 if none waits.",
    ({ oldestWaiting }) => secondsSince(oldestWaiting),
  ],
};

/**
 * Reports what the inbox of a receiver holds, as gauges: `malipo.inbox.waiting`, `.retrying`,
 * `.unhandled`, `.running`, `.dead_letters`, `.conflicts` (events), `.lag` and `.oldest_waiting`
 * (seconds). Each export calls `receiver.stats()` once.
 *
 * All processes on one inbox report the same numbers: call it in one of them, or take the maximum.
 *
 * @returns A function that stops it.
 *
 * @example
 * ```ts
 * import { otelInboxStats } from "malipo/otel";
 *
 * const stop = otelInboxStats(receiver);
 * ```
 */
export function otelInboxStats(
  receiver: { stats(): Promise<InboxStats> },
  { meter = metrics.getMeter("malipo") }: OtelInboxStatsOptions = {},
): () => void {
  const gaugesOf = (unit: string, rows: Readonly<Record<string, Row>>) =>
    Object.entries(rows).map(([name, [description, value]]) => ({
      gauge: meter.createObservableGauge(`malipo.inbox.${name}`, { unit, description }),
      value,
    }));
  const gauges = [...gaugesOf("{event}", EVENTS), ...gaugesOf("s", SECONDS)];
  const observe = async (result: BatchObservableResult) => {
    const stats = await receiver.stats();
    for (const { gauge, value } of gauges) result.observe(gauge, value(stats));
  };
  const observed = gauges.map(({ gauge }) => gauge);
  meter.addBatchObservableCallback(observe, observed);
  return () => meter.removeBatchObservableCallback(observe, observed);
}

/** Options of `otelCheckout`. */
export interface OtelCheckoutOptions extends OtelHooksOptions, OtelInboxStatsOptions {}

/**
 * Makes the `onChange` of a checkout that counts its changes and records each as an OpenTelemetry span. The
 * span is a child of the active span, such as that of the request of a page or of a webhook. No span
 * contains a phone, and no metric the id of an order.
 *
 * | metric | meaning |
 * |---|---|
 * | `malipo.checkout.changes` | changes of orders, by `malipo.change` and `malipo.order.status` |
 * | `malipo.checkout.paid` | orders whose whole amount came |
 * | `malipo.checkout.effects` | orders whose goods were given |
 * | `malipo.checkout.reviews` | reviews that began, by `malipo.review.kind` |
 * | `malipo.checkout.refused` | orders whose money `onPaid` refused |
 * | `malipo.checkout.refunds` | refunds that were noted |
 *
 * A change to `canceled` has `malipo.order.cancel_reason`.
 *
 * @example
 * ```ts
 * import { otelCheckout, otelHooks, otelWebhookHooks } from "malipo/otel";
 *
 * const checkout = createCheckout({
 *   store,
 *   onPaid,
 *   gateway: { hooks: otelHooks() },
 *   hooks: otelWebhookHooks(),
 *   onChange: otelCheckout(),
 * });
 * ```
 */
export function otelCheckout(options: OtelCheckoutOptions = {}): (change: OrderChange) => void {
  const { tracer = trace.getTracer("malipo"), meter = metrics.getMeter("malipo") } = options;
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`malipo.checkout.${name}`, { unit, description });
  const changes = counter("changes", "{change}", "Changes of orders, by what became known.");
  const paid = counter("paid", "{order}", "Orders whose whole amount came.");
  const effects = counter("effects", "{order}", "Orders whose goods were given.");
  const reviews = counter("reviews", "{review}", "Reviews that began, for a person to decide.");
  const refusedOrders = counter("refused", "{order}", "Orders whose money onPaid refused.");
  const refunds = counter("refunds", "{refund}", "Refunds that were noted.");
  return ({ order, from, by, newReviews, newRefunds, line: _ }) => {
    const attributes = {
      ...{ "malipo.change": by, "malipo.order.status": order.status },
      ...(order.cancelReason !== undefined && {
        "malipo.order.cancel_reason": order.cancelReason,
      }),
    };
    const span = tracer.startSpan(`checkout ${by}`, {
      kind: SpanKind.INTERNAL,
      attributes: {
        ...attributes,
        "malipo.order.id": order.id,
        "malipo.order.effect": order.effect,
        "malipo.order.attempts": order.attempts.length,
        ...(from !== undefined && { "malipo.order.status_before": from }),
      },
    });
    span.end();
    changes.add(1, attributes);
    if (order.status === "paid" && from !== "paid") paid.add(1);
    if (by === "effect_done") effects.add(1);
    if (by === "effect_refused") refusedOrders.add(1);
    if (newRefunds.length > 0) refunds.add(newRefunds.length);
    for (const { kind } of newReviews) reviews.add(1, { "malipo.review.kind": kind });
  };
}
