import { EVENT_KINDS } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { isLoopback } from "../../internal/urls.ts";
import { hasFailed } from "../deliveries/deliveries.ts";
import type { Delivery } from "../state/records.ts";
import { type Command, defineCommand } from "./types.ts";

/** An address as people type it: `localhost:3000/webhooks` has no scheme. */
function completeUrl(text: string): string {
  if (/\s/.test(text)) {
    throw new ConfigurationError(
      `The URL of a receiver has no white space; got ${JSON.stringify(text)}.`,
    );
  }
  if (text === "" || text.includes("://")) return text;
  const url = `http://${text}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname) ? url : `https://${text}`;
}

function responseText({ attempts }: Delivery): string {
  const { status, error } = attempts.at(-1) ?? {};
  if (status !== undefined) return `the receiver returned ${status}`;
  return error === undefined ? "it is not sent yet" : `there was no response: ${error}`;
}

export const WEBHOOK_COMMANDS = {
  "deliveries/resend": defineCommand({
    summary: "Sends a delivery again, now, with the same body and signature.",
    path: "/deliveries/{id}/resend",
    fields: ["id"],
    example: { id: "dlv_4cG7wq1ZbK2m" },
    act: ({ sandbox }, { id }) => sandbox.deliveries.resend(id),
    message: (delivery) => `Sent again, and ${responseText(delivery)}.`,
  }),
  "deliveries/resend-failed": defineCommand({
    summary: "Sends every delivery again whose last attempt failed.",
    path: "/deliveries/resend-failed",
    fields: [],
    act: async ({ sandbox: { deliveries } }) => {
      const failed = deliveries.all().filter(hasFailed);
      const sent = await Promise.all(failed.map(({ id }) => deliveries.resend(id)));
      const delivered = sent.filter(({ state }) => state === "delivered").length;
      return { sent: sent.length, delivered };
    },
    message: ({ sent, delivered }) => `Sent ${sent} again; ${delivered} of them are delivered.`,
  }),
  "webhooks/register": defineCommand({
    summary: "Registers a receiver for every kind of event.",
    path: "/webhooks",
    fields: ["url"],
    required: ["url"],
    example: { url: "http://localhost:3000/webhooks" },
    act: ({ callService }, { url }) =>
      callService("POST", "/webhooks/register", {
        name: "page",
        url: completeUrl(url),
        events: EVENT_KINDS,
      }),
    message: () => "Registered. The next event is sent there.",
  }),
  "webhooks/test": defineCommand({
    summary: "Sends a test event to one receiver, signed and logged as any other.",
    path: "/webhooks/{id}/test",
    fields: ["id", "event"],
    example: { id: "wh_4cG7wq1Z", event: "payment.failed" },
    act: ({ sendTestEvent }, { id, event }) => sendTestEvent(id, event),
    message: (delivery) => `A test ${delivery.event} was sent, and ${responseText(delivery)}.`,
  }),
  "webhooks/remove": defineCommand({
    summary: "Removes a receiver.",
    path: "/webhooks/{id}/remove",
    removes: true,
    fields: ["id"],
    act: ({ callService }, { id }) => callService("DELETE", `/webhooks/${encodeURIComponent(id)}`),
    message: () => "Removed.",
  }),
} as const satisfies Record<string, Command>;
