import { EVENT_KINDS } from "../../../contract/events.ts";
import type { StoredWebhook } from "../../state/stored.ts";
import { folded, inlineForm, input, panel } from "../components.ts";
import { clipped } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

const placeOf = (context: PageContext, at: string) =>
  ({ context, action: "webhooks/register", at }) as const;

/** Registers a receiver for every kind of event. */
export function registerForm(context: PageContext, at: string): Html {
  const place = placeOf(context, at);
  const attributes = html` inputmode="url" required placeholder="localhost:3000/webhooks" autocapitalize="none" spellcheck="false"`;
  const field = input(place, "url", "Address of your receiver", attributes);
  return inlineForm({ ...place, label: "Register a receiver" }, field, "Register");
}

const MAX_SHOWN = 8;

function row(context: PageContext, { id, url, events }: StoredWebhook): Html {
  const name = clipped(url, 80);
  const kinds = events.length === EVENT_KINDS.length ? "every event" : events.join(", ");
  const text = html`<code id="webhook-${id}">${name}</code><small>${clipped(kinds, 90)}</small>`;
  return panel(context, "deliveries", text, { id }, [
    ["webhooks/test", "Send test event", `Send test event to ${name}`],
    ["webhooks/remove", "Remove", `Remove the receiver ${name}`],
  ]);
}

/** The registered receivers. */
export function webhookList(context: PageContext): Html {
  const { webhooks, payments } = context.state;
  const register = registerForm(context, "deliveries");
  // The first steps, above, have the form.
  if (webhooks.length === 0 && payments.length === 0) return html`<p>No receiver yet.</p>`;
  if (webhooks.length === 0) {
    return html`<div class="stack"><p>No receiver is registered, so events are not sent yet.</p>${register}</div>`;
  }
  return html`<ul class="panels stack">${webhooks.slice(0, MAX_SHOWN).map((one) => row(context, one))}</ul>
${webhooks.length > MAX_SHOWN && html`<p class="hint">and ${webhooks.length - MAX_SHOWN} more</p>`}
${folded("register-more", html`${icon("plus")}Register another`, register, "more", placeOf(context, "deliveries"))}`;
}
