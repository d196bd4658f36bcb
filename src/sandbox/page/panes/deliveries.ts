import type { StoredDelivery } from "../../state/records.ts";
import { badge, pageOf, pager } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped, timeOf } from "../format.ts";
import { type Html, html, type Part } from "../html.ts";
import { icon } from "../icons.ts";
import { linkTo } from "../view.ts";
import { deliveryDetail, lastFailure } from "./delivery-detail.ts";
import { webhookList } from "./webhooks.ts";

const PER_PAGE = 50;

/** When each delivery is tried next, by its id. */
function nextAttempts({ host }: PageContext): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { at, task } of host.world.state.timers) {
    if (task.kind !== "deliver") continue;
    next.set(task.delivery, Math.min(at, next.get(task.delivery) ?? at));
  }
  return next;
}

function stateBadge({ state, attempts }: StoredDelivery, next: number | undefined): Html {
  if (state === "delivered") return badge("good", "check", "Delivered");
  if (state === "failed") return badge("bad", "cross", "Failed");
  if (attempts.length === 0 && next === undefined) return badge("waiting", "send", "Sending");
  return badge("waiting", "retry", next === undefined ? "Sending" : `Retry ${timeOf(next)}`);
}

const shortUrl = (url: string) => {
  const { host, pathname } = new URL(url);
  return clipped(host + pathname, 60);
};

/** The payment or invoice of an event, as the merchant names it. */
function labelOf({ host }: PageContext, { body }: StoredDelivery): string {
  const { data } = JSON.parse(body) as { data?: { reference?: string; number?: string } };
  const payment = host.world.payments.get(data?.reference ?? "");
  return payment?.account_reference || String(data?.number ?? data?.reference ?? "");
}

function lastAttempt(context: PageContext, { url, attempts }: StoredDelivery): Part {
  const { status, latencyMs } = attempts.at(-1) ?? {};
  const running = context.host.clock === "real";
  const facts = [
    context.host.world.state.webhooks.length > 1 && shortUrl(url),
    attempts.length > 1 && `${attempts.length} attempts`,
    status === undefined && attempts.length > 0 && "no response",
    // Virtual time stands still while a receiver responds.
    status !== undefined && `returned ${status}${running ? ` in ${latencyMs} ms` : ""}`,
  ];
  return facts
    .filter((fact) => fact !== false)
    .map((fact) => html`<span class="what">${fact}</span>`);
}

function row(context: PageContext, delivery: StoredDelivery, next: number | undefined): Html {
  const { id, event, state, attempts } = delivery;
  const open = context.view.delivery === id;
  const reason = state === "delivered" ? undefined : lastFailure(context, delivery);
  const { at } = attempts.at(-1) ?? {};
  const tone = state === "delivered" ? "good" : reason === undefined ? "waiting" : "bad";
  const link = linkTo(context.view, { delivery: open ? "" : id }, `delivery-${id}`);
  const label = labelOf(context, delivery);
  return html`<li class="row ${tone}" id="delivery-${id}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><strong class="event">${event}</strong>${label !== "" && html`<span class="tag">${label}</span>`}</span>${stateBadge(delivery, next)}
<span class="row-sub">${lastAttempt(context, delivery)}</span><time>${at === undefined ? "" : timeOf(Date.parse(at))}</time>
${reason && html`<span class="row-why">${icon("warning")}${reason.title}</span>`}</a>
${open && deliveryDetail(context, delivery)}</li>`;
}

/** What was sent to the merchant's receivers, and what they returned. */
export function deliveriesPane(context: PageContext): Html {
  const { deliveries } = context.host.world.state;
  const next = nextAttempts(context);
  const rows = pageOf(deliveries, context.view.deliveries, PER_PAGE).map((one) =>
    row(context, one, next.get(one.id)),
  );
  return html`<section class="card" id="deliveries" aria-labelledby="deliveries-title">
<div class="card-head"><h2 id="deliveries-title" tabindex="-1">${icon("send")}Webhook deliveries</h2></div>
${webhookList(context)}
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : context.host.world.state.webhooks.length > 0 && html`<p class="empty">Nothing has been sent yet. The next event is sent at once.</p>`}
${pager(context.view, "deliveries", deliveries.length, PER_PAGE)}
</section>`;
}
