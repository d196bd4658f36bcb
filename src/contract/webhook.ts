import * as z from "zod/mini";
import { isLoopback } from "../internal/urls.ts";
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
  /** HTTPS URL that receives the deliveries. For tests, `http:` on a loopback host. */
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

function isWebhookUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

const url = z.string({ error: "expected an https: URL" }).check(
  z.refine(isWebhookUrl, {
    error: "expected an https: URL (http: only on a loopback host)",
  }),
);

const events = z.array(
  text.check(
    z.refine((kind) => kind !== "", { error: "expected an event kind, such as payment.completed" }),
  ),
  { error: "expected an array of event kinds" },
);

const error = "expected an object, such as { name, url, events }";

export const webhookRegistration: Schema = z.looseObject(
  { name: text, url, events: z.optional(events) } satisfies FieldChecks<WebhookRegistration>,
  { error },
);

export const webhookChanges: Schema = z.looseObject(
  {
    name: z.optional(text),
    url: z.optional(url),
    events: z.optional(events),
  } satisfies FieldChecks<WebhookChanges>,
  { error },
);

export const webhook: Schema = z.looseObject(
  {
    id: z.optional(identifier),
    name: z.optional(text),
    url: z.optional(text),
    events: z.optional(z.array(text, { error: "expected an array of strings" })),
  } satisfies FieldChecks<Webhook>,
  { error: "expected an object" },
);
