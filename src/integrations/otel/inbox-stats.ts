import { type BatchObservableResult, type Meter, metrics } from "@opentelemetry/api";
import type { InboxStats } from "../../webhooks/inbox/types.ts";

/** Options of `otelInboxStats`. */
export interface OtelInboxStatsOptions {
  /**
   * The meter that makes the gauges. Set it if you do not use the global provider, or to name the meter
   * after your application.
   * @default the meter "malipo" of the global provider
   */
  meter?: Meter | undefined;
}

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly value: (stats: InboxStats) => number;
}

const EVENTS = "{event}";

const ROWS: readonly Row[] = [
  {
    name: "retrying",
    unit: EVENTS,
    description: "Waiting events whose last attempt failed.",
    value: ({ retrying }) => retrying,
  },
  {
    name: "waiting",
    unit: EVENTS,
    description: "Events to be processed.",
    value: ({ waiting }) => waiting,
  },
  {
    name: "unhandled",
    unit: EVENTS,
    description: "Waiting events of kinds that this process does not take.",
    value: ({ unhandled }) => unhandled,
  },
  {
    name: "running",
    unit: EVENTS,
    description: "Events in progress, in all processes.",
    value: ({ running }) => running,
  },
  {
    name: "dead_letters",
    unit: EVENTS,
    description: "Dead letters that wait for a person.",
    value: ({ dead }) => dead,
  },
  {
    name: "conflicts",
    unit: EVENTS,
    description: "Conflicts that wait for a person.",
    value: ({ conflicts }) => conflicts,
  },
  {
    name: "lag",
    unit: "s",
    description: "How long the first due event has been due.",
    value: ({ lagMs }) => lagMs / 1_000,
  },
  {
    name: "oldest_waiting",
    unit: "s",
    description: "The age of the oldest waiting event; 0 if none waits.",
    value: ({ oldestWaiting }) =>
      oldestWaiting === null ? 0 : Math.max(0, Date.now() - oldestWaiting) / 1_000,
  },
];

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
  const gauges = ROWS.map(({ name, unit, description, value }) => {
    const gauge = meter.createObservableGauge(`malipo.inbox.${name}`, { unit, description });
    return { gauge, value };
  });
  const observe = async (result: BatchObservableResult) => {
    const stats = await receiver.stats();
    for (const { gauge, value } of gauges) result.observe(gauge, value(stats));
  };
  const observed = gauges.map(({ gauge }) => gauge);
  meter.addBatchObservableCallback(observe, observed);
  return () => meter.removeBatchObservableCallback(observe, observed);
}
