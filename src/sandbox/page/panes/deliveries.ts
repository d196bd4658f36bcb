import type { StoredDelivery } from "../../state/records.ts";
import { clipped, timeOf } from "../format.ts";
import { type Html, html, type Part } from "../html.ts";
import { icon } from "../icons.ts";
import type { Shown } from "../page.ts";
import { badge, pageOf, pager } from "../pieces.ts";
import { linkTo } from "../view.ts";
import { deliveryDetail, refusalOf } from "./delivery-detail.ts";
import { webhookList } from "./webhooks.ts";

const PER_PAGE = 50;

/** When each delivery is tried next, by its id. */
function nextAttempts({ host }: Shown): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { at, task } of host.world.state.timers) {
    if (task.kind !== "deliver") continue;
    next.set(task.delivery, Math.min(at, next.get(task.delivery) ?? at));
  }
  return next;
}

function standing({ state, attempts }: StoredDelivery, next: number | undefined): Html {
  if (state === "delivered") return badge("good", "check", "Delivered");
  if (state === "failed") return badge("bad", "cross", "Given up");
  if (attempts.length === 0 && next === undefined) return badge("waiting", "send", "Sending");
  return badge("waiting", "retry", next === undefined ? "Sending" : `Again ${timeOf(next)}`);
}

const placeOf = (url: string) => {
  const { host, pathname } = new URL(url);
  return clipped(host + pathname, 60);
};

/** What the event is about, as the merchant calls it. */
function labelOf({ host }: Shown, { body }: StoredDelivery): string {
  const { data } = JSON.parse(body) as { data: { reference?: string; number?: string } };
  const payment = host.world.payments.get(data.reference ?? "");
  return payment?.account_reference || (data.number ?? data.reference ?? "");
}

function took(shown: Shown, { url, attempts }: StoredDelivery): Part {
  const { status, latencyMs } = attempts.at(-1) ?? {};
  const running = shown.host.clock === "real";
  const facts = [
    shown.host.world.state.webhooks.length > 1 && placeOf(url),
    attempts.length > 1 && `${attempts.length} attempts`,
    status === undefined && attempts.length > 0 && "no answer",
    // Virtual time stands still while a receiver works.
    status !== undefined && `answered ${status}${running ? ` in ${latencyMs} ms` : ""}`,
  ];
  return facts
    .filter((fact) => fact !== false)
    .map((fact) => html`<span class="what">${fact}</span>`);
}

function row(shown: Shown, delivery: StoredDelivery, next: number | undefined): Html {
  const { id, event, state, attempts } = delivery;
  const open = shown.view.delivery === id;
  const reason = state === "delivered" ? undefined : refusalOf(shown, delivery);
  const { at } = attempts.at(-1) ?? {};
  const tone = state === "delivered" ? "good" : reason === undefined ? "waiting" : "bad";
  const link = linkTo(shown.view, { delivery: open ? "" : id }, `delivery-${id}`);
  const label = labelOf(shown, delivery);
  return html`<li class="row ${tone}" id="delivery-${id}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><strong class="event">${event}</strong>${label !== "" && html`<span class="tag">${label}</span>`}</span>${standing(delivery, next)}
<span class="row-sub">${took(shown, delivery)}</span><time>${at === undefined ? "" : timeOf(Date.parse(at))}</time>
${reason && html`<span class="row-why">${icon("warning")}${reason.title}</span>`}</a>
${open && deliveryDetail(shown, delivery)}</li>`;
}

/** What was told to the merchant's receivers, and how they took it. */
export function deliveriesPane(shown: Shown): Html {
  const { deliveries } = shown.host.world.state;
  const next = nextAttempts(shown);
  const rows = pageOf(deliveries, shown.view.deliveries, PER_PAGE).map((one) =>
    row(shown, one, next.get(one.id)),
  );
  return html`<section class="card" id="deliveries" aria-labelledby="deliveries-title">
<div class="card-head"><h2 id="deliveries-title" tabindex="-1">${icon("send")}Webhook deliveries</h2></div>
${webhookList(shown)}
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : shown.host.world.state.webhooks.length > 0 && html`<p class="empty">Nothing was sent yet. The next event goes out at once.</p>`}
${pager(shown.view, "deliveries", deliveries.length, PER_PAGE)}
</section>`;
}
