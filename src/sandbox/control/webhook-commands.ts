import { EVENT_KINDS } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { isLoopback } from "../../internal/loopback.ts";
import { hasFailed } from "../deliveries/deliveries.ts";
import type { Delivery } from "../state/records.ts";
import { type Command, defineCommand, textField } from "./types.ts";

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

/** What the receiver returned for the last attempt. */
function responseText({ attempts }: Delivery): string {
  const { status, error } = attempts.at(-1) ?? {};
  if (status !== undefined) return `the receiver returned ${status}`;
  return error === undefined ? "it is not sent yet" : `there was no response: ${error}`;
}

/** The receivers, and what is sent to them. */
export const WEBHOOK_COMMANDS = {
  "deliveries/resend": defineCommand({
    summary: "Sends a delivery again, now, with the same body and signature.",
    path: "/deliveries/{id}/resend",
    fields: ["id"],
    act: ({ sandbox }, fields) => sandbox.deliveries.resend(textField(fields, "id")),
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
    act: ({ callService }, fields) =>
      callService("POST", "/webhooks/register", {
        name: "page",
        url: completeUrl(textField(fields, "url")),
        events: EVENT_KINDS,
      }),
    message: () => "Registered. The next event is sent there.",
  }),
  "webhooks/test": defineCommand({
    summary: "Sends a test event to one receiver, signed and logged as any other.",
    path: "/webhooks/{id}/test",
    fields: ["id", "event"],
    act: ({ sendTestEvent }, fields) =>
      sendTestEvent(textField(fields, "id"), textField(fields, "event")),
    message: (delivery) => `A test ${delivery.event} was sent, and ${responseText(delivery)}.`,
  }),
  "webhooks/remove": defineCommand({
    summary: "Removes a receiver.",
    path: "/webhooks/{id}/remove",
    removes: true,
    fields: ["id"],
    act: ({ callService }, fields) =>
      callService("DELETE", `/webhooks/${encodeURIComponent(textField(fields, "id"))}`),
    message: () => "Removed.",
  }),
} as const satisfies Record<string, Command>;
