import type { StoredWebhook } from "../../state/records.ts";
import { form, hiddenFields, isRejected, typed } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

const registration = (context: PageContext, at: string) =>
  ({ context, action: "webhooks/register", at }) as const;

/** Registers a receiver for every kind of event. */
export function registerForm(context: PageContext, at: string): Html {
  const place = registration(context, at);
  return form(
    { ...place, name: "inline", label: "Register a receiver", showsError: true },
    html`<label>Address of your receiver<input name="url" inputmode="url" required value="${typed(place, "url")}" placeholder="localhost:3000/webhooks" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button>Register</button>`,
  );
}

const MAX_SHOWN = 8;

function row(context: PageContext, { id, url, events }: StoredWebhook): Html {
  const place = { context, at: "deliveries" };
  const name = clipped(url, 80);
  const fields = hiddenFields({ id });
  return html`<li id="webhook-${id}"><span><code>${name}</code><small>${events.length === 8 ? "every event" : clipped(events.join(", "), 90)}</small></span><div class="webhook-acts">${form(
    { action: "webhooks/test", ...place },
    fields,
    html`<button class="quiet" aria-label="Send test event to ${name}">Send test event</button>`,
  )}${form(
    { action: "webhooks/remove", ...place },
    fields,
    html`<button class="quiet" aria-label="Remove the receiver ${name}">Remove</button>`,
  )}</div></li>`;
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
  const isOpen = isRejected(registration(context, "deliveries"));
  return html`<ul class="webhooks">${webhooks.slice(0, MAX_SHOWN).map((one) => row(context, one))}</ul>
${webhooks.length > MAX_SHOWN && html`<p class="hint">and ${webhooks.length - MAX_SHOWN} more</p>`}
<details class="more" id="register-more"${isOpen && html` open`}><summary>${icon("plus")}Register another</summary>${registerForm(context, "deliveries")}</details>`;
}
