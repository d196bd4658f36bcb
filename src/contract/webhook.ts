import * as z from "zod/mini";
import { isLoopback, isPrivateHost } from "../internal/urls.ts";
import type { EventKind } from "./events.ts";
import { type FieldChecks, identifier, type Schema, text } from "./schema.ts";

/**
 * A registered webhook endpoint. The service documents only `name`, `url` and `events`: declare
 * other fields by declaration merging.
 *
 * @see docs/reference/service.md, "Webhook registrations"
 */
export interface Webhook {
  /** Identifier, to change or delete the endpoint. The service does not document its type. */
  id?: string | number;
  /** Label of the endpoint. */
  name?: string;
  /** URL that receives the deliveries. */
  url?: string;
  /** The kinds of event that are delivered. */
  events?: string[];
  [field: string]: unknown;
}

/**
 * The parameters of `webhooks.register`.
 *
 * @example
 * ```ts
 * const shop = {
 *   name: "shop",
 *   url: "https://shop.example/webhooks",
 *   events: ["payment.completed", "payment.failed"],
 * };
 * ```
 *
 * @see docs/reference/service.md, "Webhook registrations"
 */
export interface WebhookRegistration {
  /** Label of the endpoint. */
  name: string;
  /**
   * HTTPS URL that receives the deliveries. For tests, `http:` on a loopback host, and on a private name if the
   * gateway has `testNetwork`.
   */
  url: string;
  /**
   * Kinds of event to deliver: the eight documented kinds, or any other non-empty string. The service
   * does not document what it does if the list is left out, so set it.
   */
  events?: (EventKind | (string & {}))[] | undefined;
}

/** The parameters of `webhooks.update`: the fields to change. The service does not document them. */
export interface WebhookChanges {
  /** New label of the endpoint. */
  name?: string | undefined;
  /** New HTTPS URL. For tests, `http:` on a loopback host. */
  url?: string | undefined;
  /** New list of event kinds. */
  events?: (EventKind | (string & {}))[] | undefined;
  [field: string]: unknown;
}

/** Whether events may be sent to an address. In a test network, other containers have private names. */
export function isWebhookUrl(address: string, inTestNetwork: boolean): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isNear = isLoopback(hostname) || (inTestNetwork && isPrivateHost(hostname));
  return protocol === "https:" || (protocol === "http:" && isNear);
}

const urlWith = (inTestNetwork: boolean) =>
  z.string({ error: "expected an https: URL" }).check(
    z.refine((address) => isWebhookUrl(address, inTestNetwork), {
      error: inTestNetwork
        ? "expected an https: URL (http: only on a loopback host, or on a private name or address)"
        : "expected an https: URL (http: only on a loopback host; with `testNetwork` on a private name too)",
    }),
  );

const events = z.array(
  text.check(
    z.refine((kind) => kind !== "", { error: "expected an event kind, such as payment.completed" }),
  ),
  { error: "expected an array of event kinds" },
);

const error = "expected an object, such as { name, url, events }";

const registrationWith = (url: ReturnType<typeof urlWith>): Schema =>
  z.looseObject(
    { name: text, url, events: z.optional(events) } satisfies FieldChecks<WebhookRegistration>,
    { error },
  );

const changesWith = (url: ReturnType<typeof urlWith>): Schema =>
  z.looseObject(
    {
      name: z.optional(text),
      url: z.optional(url),
      events: z.optional(events),
    } satisfies FieldChecks<WebhookChanges>,
    { error },
  );

const url = urlWith(false);
export const webhookRegistration: Schema = registrationWith(url);
export const webhookChanges: Schema = changesWith(url);

const networkUrl = urlWith(true);
/** The same in a test network. */
export const networkWebhooks = {
  webhookRegistration: registrationWith(networkUrl),
  webhookChanges: changesWith(networkUrl),
} as const;

export const webhook: Schema = z.looseObject(
  {
    id: z.optional(identifier),
    name: z.optional(text),
    url: z.optional(text),
    events: z.optional(z.array(text, { error: "expected an array of strings" })),
  } satisfies FieldChecks<Webhook>,
  { error: "expected an object" },
);
