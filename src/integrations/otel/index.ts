/**
 * OpenTelemetry: traces of a gateway's requests, and traces and metrics of a webhook receiver and of a
 * checkout.
 *
 * @module malipo/otel
 */

export {
  type OtelCheckoutOptions,
  type OtelInboxStatsOptions,
  otelCheckout,
  otelInboxStats,
} from "./checkout-and-inbox.ts";
export { type OtelHooksOptions, otelHooks } from "./gateway-hooks.ts";
export { type OtelWebhookHooksOptions, otelWebhookHooks } from "./webhook-hooks.ts";
