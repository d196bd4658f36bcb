/**
 * OpenTelemetry: traces of a gateway's requests, and traces and metrics of a webhook receiver.
 *
 * @module malipo/otel
 */

export { type OtelHooksOptions, otelHooks } from "./gateway-hooks.ts";
export { type OtelInboxStatsOptions, otelInboxStats } from "./inbox-stats.ts";
export { type OtelWebhookHooksOptions, otelWebhookHooks } from "./webhook-hooks.ts";
