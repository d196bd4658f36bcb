import * as z from "zod/mini";
import { isLoopback } from "../internal/loopback.ts";
import type { EventKind } from "./events.ts";
import { identifier, type Schema, text } from "./schema.ts";

/**
 * A registered webhook endpoint. Fields beyond the three documented ones are not shown: narrow
 * them by declaration merging.
 *
 * @see Service interface, section 2.
 */
export interface Webhook {
  /** What `update` and `delete` take. Its type is not shown. */
  id?: string | number;
  /** Label of the endpoint. */
  name?: string;
  /** Address that receives the notifications. */
  url?: string;
  /** Event kinds subscribed to. */
  events?: string[];
  [field: string]: unknown;
}

/**
 * What a webhook is registered with.
 *
 * @see Service interface, section 4, row 9.
 */
export interface WebhookRegistration {
  /** Label of the endpoint. */
  name: string;
  /** Address that receives the notifications: `https:`, or `http:` on a loopback host. */
  url: string;
  /** Event kinds to subscribe to: the eight documented ones, or any non-empty string. */
  events: (EventKind | (string & {}))[];
}

/** What a webhook is changed with. The interface does not show the request. */
export interface WebhookChanges {
  name?: string | undefined;
  /** `https:`, or `http:` on a loopback host. */
  url?: string | undefined;
  events?: (EventKind | (string & {}))[] | undefined;
  [field: string]: unknown;
}

function isWebhookUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
}

const url = z.string({ error: "expected an https: address" }).check(
  z.refine(isWebhookUrl, {
    error: "expected an https: address (http: on a loopback host alone)",
  }),
);

const events = z.array(
  text.check(z.minLength(1, { error: "expected an event kind, such as payment.completed" })),
  { error: "expected an array of event kinds" },
);

const registration = z.looseObject(
  { name: text, url, events },
  { error: "expected an object with name, url and events" },
);

export const webhookRegistration: Schema = registration;

export const webhookChanges: Schema = z.partial(registration);

export const webhook: Schema = z.looseObject(
  {
    id: z.optional(identifier),
    name: z.optional(text),
    url: z.optional(text),
    events: z.optional(z.array(text, { error: "expected an array of strings" })),
  },
  { error: "expected an object" },
);
