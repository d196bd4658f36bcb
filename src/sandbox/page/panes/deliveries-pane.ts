import { EVENT_KINDS } from "../../../contract/events.ts";
import { type Html, html } from "../../../html/html.ts";
import { icon } from "../../../html/icons.ts";
import { hasFailed } from "../../deliveries/deliveries.ts";
import { type FailureReason, lastFailure } from "../../deliveries/failure-reason.ts";
import type { DeliveryAttempt } from "../../state/sandbox-records.ts";
import type { StoredDelivery, StoredWebhook } from "../../state/stored.ts";
import {
  type Badge,
  block,
  button,
  card,
  copyable,
  copyButton,
  folded,
  inlineForm,
  input,
  type Moment,
  panel,
  timeline,
} from "../components.ts";
import { clipped, curl, indented, quoted, timeOf } from "../page-format.ts";
import { choicesOf, list, row } from "../page-list.ts";
import type { PageContext } from "../page-view.ts";

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

function webhookRow(context: PageContext, { id, url, events }: StoredWebhook): Html {
  const name = clipped(url, 80);
  const kinds = events.length === EVENT_KINDS.length ? "every event" : events.join(", ");
  const text = html`<code id="webhook-${id}">${name}</code><small>${clipped(kinds, 90)}</small>`;
  return panel(context, "deliveries", text, { id }, [
    ["webhooks/test", "Send test event", `Send test event to ${name}`],
    ["webhooks/remove", "Remove", `Remove the receiver ${name}`],
  ]);
}

/** The registered receivers. */
function webhookList(context: PageContext): Html {
  const { webhooks, payments } = context.state;
  const register = registerForm(context, "deliveries");
  // The first steps, above, have the form.
  if (webhooks.length === 0 && payments.length === 0) return html`<p>No receiver yet.</p>`;
  if (webhooks.length === 0) {
    return html`<div class="stack"><p>No receiver is registered, so events are not sent yet.</p>${register}</div>`;
  }
  return html`<ul class="panels stack">${webhooks.slice(0, MAX_SHOWN).map((one) => webhookRow(context, one))}</ul>
${webhooks.length > MAX_SHOWN && html`<p class="hint">and ${webhooks.length - MAX_SHOWN} more</p>`}
${folded("register-more", html`${icon("plus")}Register another`, register, "more", placeOf(context, "deliveries"))}`;
}

export const DELIVERY_BADGES: Readonly<Record<StoredDelivery["state"], Badge>> = {
  delivered: ["good", "check", "Delivered"],
  pending: ["waiting", "retry", "Retrying"],
  failed: ["bad", "cross", "Failed"],
};

function attemptMoment(attempt: DeliveryAttempt, index: number): Moment {
  const { at, status, error, latencyMs, chaos } = attempt;
  const [tone, shape] = DELIVERY_BADGES[status === 200 ? "delivered" : "failed"];
  const about = html`<small>in ${latencyMs} ms${chaos && `, chaos: ${chaos.join(", ")}`}</small>`;
  return [Date.parse(at), tone, shape, html`Attempt ${index + 1}: ${status ?? error} ${about}`];
}

/** The headers of the request, which is the same at every attempt. */
const headersOf = ({ id, signature }: StoredDelivery) => [
  "content-type: application/json",
  `x-service-signature: ${signature}`,
  `x-sandbox-delivery: ${id}`,
];

function rawRequest(delivery: StoredDelivery): string {
  const { pathname, search, host } = new URL(delivery.url);
  const first = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
  return [...first, ...headersOf(delivery), "", delivery.body].join("\n");
}

/** Everything about one delivery. */
function deliveryDetail(
  context: PageContext,
  delivery: StoredDelivery,
  reason: FailureReason | undefined,
): Html {
  const { id, attempts, responses, body, signature, url } = delivery;
  const response = responses?.[attempts.length - 1];
  const secret = context.state.webhookSecret;
  const signCommand = `printf %s ${quoted(body)} | openssl dgst -sha256 -hmac ${quoted(secret)}`;
  const command = curl({ method: "POST", url, headers: headersOf(delivery).map(quoted), body });
  const resend = button(
    context,
    `delivery-${id}`,
    "deliveries/resend",
    html`${icon("send")}Send again`,
    { hidden: { id }, name: "primary" },
  );
  return html`${reason && html`<div class="reason notice bad" role="note">${icon("warning")}<div><strong>${reason.title}</strong><p>${reason.advice}</p></div></div>`}
<p class="hint">To <code>${url}</code></p>
${attempts.length === 0 ? html`<p class="hint">No attempt has finished yet.</p>` : timeline(attempts.map(attemptMoment))}
<div class="detail-foot line">${resend}${copyButton(command, "the delivery", "Copy as curl")}</div>
<h3>Event</h3>${block(indented(body), "the event, indented")}
${response !== undefined && html`<h3>Response body</h3>${block(response, "the response body")}`}
<h3>Signature</h3>
<p class="signature line">${copyable(signature, "the signature")}</p>
${folded(`raw-${id}`, html`Raw request<small>${new TextEncoder().encode(body).length} bytes of body</small>`, block(rawRequest(delivery), "the raw request"), "raw")}
${folded(`hand-${id}`, "Check the signature by hand", block(signCommand, "a command that signs the body"), "raw")}`;
}

const failureOf = (context: PageContext, delivery: StoredDelivery) =>
  delivery.state === "delivered" ? undefined : lastFailure(delivery, context.server.clock)?.title;

/** When each delivery is tried next, by its id. */
function nextAttempts({ state }: PageContext): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { at, task } of state.timers) {
    if (task.kind !== "deliver") continue;
    next.set(task.delivery, Math.min(at, next.get(task.delivery) ?? at));
  }
  return next;
}

function badgeOf({ state, attempts }: StoredDelivery, next: number | undefined): Badge {
  if (state !== "pending") return DELIVERY_BADGES[state];
  if (next !== undefined) return ["waiting", "retry", `Retry at ${timeOf(next)}`];
  return ["waiting", attempts.length === 0 ? "send" : "retry", "Sending"];
}

/** The payment or invoice of an event, as the merchant names it. */
function labelOf({ server }: PageContext, { body }: StoredDelivery): string {
  const { data } = JSON.parse(body) as { data?: Record<string, unknown> };
  const payment = server.sandboxState.payments.get(String(data?.reference));
  const label = payment?.account_reference || data?.account_reference;
  return String(label || (data?.number ?? data?.reference ?? ""));
}

function deliveryRow(
  context: PageContext,
  delivery: StoredDelivery,
  next: number | undefined,
  isTold: boolean,
): Html {
  const { id, event, url, attempts, chaos } = delivery;
  const { server, state } = context;
  const failure = failureOf(context, delivery);
  const label = labelOf(context, delivery);
  const { at, status, latencyMs } = attempts.at(-1) ?? {};
  // Virtual time stands still while a receiver responds.
  const duration = server.clock === "real" ? ` in ${latencyMs} ms` : "";
  return row(context, {
    entry: ["delivery", id],
    head: html`<strong class="nowrap">${event}</strong>${label !== "" && html`<span class="tag">${label}</span>`}`,
    state: badgeOf(delivery, next),
    about: [
      state.webhooks.length > 1 && url.replace(/^https?:\/\//, ""),
      attempts.length > 1 && `${attempts.length} attempts`,
      attempts.length > 0 &&
        (status === undefined ? "no response" : `returned ${status}${duration}`),
    ],
    at: at === undefined ? undefined : Date.parse(at),
    failure: isTold ? undefined : failure,
    // Some reasons name the chaos already.
    faults:
      chaos !== undefined && !failure?.startsWith("Chaos")
        ? `chaos: ${chaos.faults.join(", ")}`
        : undefined,
    detail: () => deliveryDetail(context, delivery, lastFailure(delivery, context.server.clock)),
  });
}

/** Sends again, in one go, what failed while a receiver was broken. */
function resendFailed(context: PageContext): Html | undefined {
  const failed = context.state.deliveries.filter(hasFailed).length;
  if (failed === 0) return undefined;
  const text = html`${icon("retry")}Resend undelivered<small>${failed}</small>`;
  return button(context, "deliveries", "deliveries/resend-failed", text);
}

/** What was sent to the merchant's receivers, and what they returned. */
export function deliveriesPane(context: PageContext): Html {
  const { deliveries, webhooks } = context.state;
  const next = nextAttempts(context);
  return card(
    "deliveries",
    "send",
    "Webhook deliveries",
    resendFailed(context),
    webhookList(context),
    (deliveries.length > 0 || webhooks.length > 0) &&
      list(context, {
        name: "deliveries",
        items: deliveries,
        choices: choicesOf("state", DELIVERY_BADGES),
        searched: "Event, order or body",
        searchedText: (one) =>
          `${one.id} ${one.event} ${one.url} ${one.body} ${failureOf(context, one)}`,
        failureOf: (one) => failureOf(context, one),
        row: (one, isTold) => deliveryRow(context, one, next.get(one.id), isTold),
        empty: "Nothing has been sent yet. The next event is sent at once.",
      }),
  );
}
