import { EVENT_KINDS } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { Duration } from "../../internal/duration.ts";
import { isLoopback } from "../../internal/urls.ts";
import { formatTimestamp } from "../clock.ts";
import { hasFailed } from "../deliveries/deliveries.ts";
import { localFormat } from "../state/notation.ts";
import type { Delivery } from "../state/sandbox-records.ts";
import { type Command, defineCommand } from "./define-command.ts";
import { FAULT_COMMANDS } from "./fault-commands.ts";
import { PHONE_COMMANDS } from "./phone-commands.ts";
import { SCENE_COMMANDS } from "./scene-commands.ts";

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

const WEBHOOK_COMMANDS = {
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
    summary: "Sends a signed test event to one receiver.",
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

// The page and the control API offer these, and the command line describes and calls them. This module
// loads neither schemas nor the service, so that the command line starts fast.

/** The control API takes commands in JSON below this path, from the command line or any language. */
export const CONTROL_PREFIX = "/_sandbox/api";

/** A number that was written with digits; any other text stays, for the service to reject. */
const numberOrText = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);

/** Everything that can be done to a running sandbox, by the name under which the page posts it. */
export const COMMANDS = {
  pay: defineCommand({
    summary: "Starts a payment, as the merchant's server does.",
    path: "/payments",
    fields: ["amount", "phone", "account_reference", "description"],
    required: ["amount", "phone"],
    example: { amount: 100, phone: "0712345678", account_reference: "ORDER-17" },
    act: ({ sandbox, callService }, { amount, phone, account_reference, description }) => {
      const { reference } = callService("POST", "/mobile-money/payment/initiate", {
        amount: numberOrText(amount),
        phone,
        account_reference: account_reference || undefined,
        description: description || undefined,
      });
      return { number: sandbox.phone(phone).number, reference: String(reference) };
    },
    message: ({ number }) => `A prompt was sent to ${localFormat(number)}.`,
  }),
  ...PHONE_COMMANDS,
  clock: defineCommand({
    summary: "Advances the clock: prompts expire, deliveries are retried, invoices fall due.",
    path: "/clock/advance",
    fields: ["by"],
    required: ["by"],
    example: { by: "61s" },
    act: async ({ sandbox, clock }, { by }) => {
      await sandbox.clock.advance(by as Duration);
      return { now: formatTimestamp(sandbox.clock.now().getTime()), clock };
    },
    message: ({ now }) => `The time is now ${now.slice(11, 19)}.`,
  }),
  ...WEBHOOK_COMMANDS,
  ...FAULT_COMMANDS,
  "keys/revoke": defineCommand({
    summary: "Revokes a key, and makes another one of its kind.",
    path: "/keys/revoke",
    removes: true,
    fields: ["key"],
    required: ["key"],
    example: { key: "secret" },
    act: ({ sandbox }, { key: given }) => {
      const key = (sandbox.keys as Readonly<Record<string, string>>)[given || "secret"] ?? given;
      return { key: sandbox.revokeKey(key) };
    },
    message: ({ key }) => `The key is revoked. The new one is ${key}`,
  }),
  ...SCENE_COMMANDS,
} as const;

export type CommandName = keyof typeof COMMANDS;

export type CommandResult<Name extends CommandName> = Awaited<
  ReturnType<(typeof COMMANDS)[Name]["act"]>
>;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** A request to the control API. The path is the one below {@link CONTROL_PREFIX}. */
interface ControlRequest {
  readonly method: "POST";
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The request that runs a command: fields that its path names are in the path, others in the body. */
export function commandRequest(
  name: CommandName,
  fields: Readonly<Record<string, unknown>>,
): ControlRequest {
  const { path }: Command = COMMANDS[name];
  if (path === undefined) throw new Error(`The control API has no command "${name}".`);
  const inBody = Object.entries(fields).filter(([field]) => !path.includes(`{${field}}`));
  return {
    method: "POST",
    path: path.replace(/\{(\w+)\}/g, (_, field) => encodeURIComponent(String(fields[field] ?? ""))),
    ...(inBody.length > 0 && { body: Object.fromEntries(inBody) }),
  };
}
