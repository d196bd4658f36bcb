import { form } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { View } from "../view.ts";

/** Registers a receiver for every kind of event. */
export const registerForm = (view: View, at: string): Html =>
  form(
    { action: "webhooks/register", view, at, name: "inline", label: "Register a receiver" },
    html`<label>Your receiver<input name="url" type="url" required placeholder="http://127.0.0.1:3000/webhooks" autocomplete="off" spellcheck="false"></label><button>Register</button>`,
  );

const MAX_SHOWN = 8;

/** The registered receivers. */
export function webhookList({ host, view }: PageContext): Html {
  const { webhooks, payments } = host.world.state;
  // The first steps, above, have the form.
  if (webhooks.length === 0 && payments.length === 0)
    return html`<p class="empty">No receiver yet.</p>`;
  if (webhooks.length === 0) {
    return html`<div class="empty"><p>No receiver is registered, so events are not sent yet.</p>${registerForm(view, "deliveries")}</div>`;
  }
  return html`<ul class="webhooks">${webhooks
    .slice(0, MAX_SHOWN)
    .map(
      ({ id, url, events }) =>
        html`<li id="webhook-${id}"><span><code>${clipped(url, 80)}</code><small>${events.length === 8 ? "every event" : clipped(events.join(", "), 90)}</small></span>${form(
          { action: "webhooks/remove", view, at: "deliveries" },
          html`<input type="hidden" name="id" value="${id}"><button class="quiet" aria-label="Remove the receiver ${clipped(url, 80)}">Remove</button>`,
        )}</li>`,
    )}</ul>
${webhooks.length > MAX_SHOWN && html`<p class="hint">and ${webhooks.length - MAX_SHOWN} more</p>`}
<details class="more" id="register-more"><summary>Register another</summary>${registerForm(view, "deliveries")}</details>`;
}
