import { EVENT_KINDS } from "../../../contract/events.ts";
import type { StoredWebhook } from "../../state/stored.ts";
import { folded, form, typed } from "../components.ts";
import { clipped } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

/** Registers a receiver for every kind of event. */
export function registerForm(context: PageContext, at: string): Html {
  const place = { context, action: "webhooks/register", at } as const;
  return form(
    { ...place, name: "inline", label: "Register a receiver", showsError: true },
    html`<label>Address of your receiver<input name="url" inputmode="url" required value="${typed(place, "url")}" placeholder="localhost:3000/webhooks" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button>Register</button>`,
  );
}

const MAX_SHOWN = 8;

function row(context: PageContext, { id, url, events }: StoredWebhook): Html {
  const name = clipped(url, 80);
  const act = (action: "webhooks/test" | "webhooks/remove", text: string, label: string) =>
    form(
      { action, context, at: "deliveries", hidden: { id } },
      html`<button class="quiet" aria-label="${label} ${name}">${text}</button>`,
    );
  return html`<li id="webhook-${id}"><span><code>${name}</code><small>${events.length === EVENT_KINDS.length ? "every event" : clipped(events.join(", "), 90)}</small></span><div class="acts">${act("webhooks/test", "Send test event", "Send test event to")}${act("webhooks/remove", "Remove", "Remove the receiver")}</div></li>`;
}

/** The registered receivers. */
export function webhookList(context: PageContext): Html {
  const { webhooks, payments } = context.server.sandboxState.state;
  // The first steps, above, have the form.
  if (webhooks.length === 0 && payments.length === 0)
    return html`<p class="empty">No receiver yet.</p>`;
  if (webhooks.length === 0) {
    return html`<div class="empty"><p>No receiver is registered, so events are not sent yet.</p>${registerForm(context, "deliveries")}</div>`;
  }
  const place = { context, action: "webhooks/register", at: "deliveries" } as const;
  return html`<ul class="panels">${webhooks.slice(0, MAX_SHOWN).map((one) => row(context, one))}</ul>
${webhooks.length > MAX_SHOWN && html`<p class="hint">and ${webhooks.length - MAX_SHOWN} more</p>`}
${folded("register-more", html`${icon("plus")}Register another`, registerForm(context, "deliveries"), place)}`;
}
