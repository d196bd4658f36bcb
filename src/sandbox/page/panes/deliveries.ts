import type { StoredDelivery } from "../../state/records.ts";
import { badge, faultNote, filters, form, pageOf, pager } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped, timeOf } from "../format.ts";
import { type Html, html, type Part } from "../html.ts";
import { icon } from "../icons.ts";
import { linkTo } from "../view.ts";
import { deliveryDetail, lastFailure } from "./delivery-detail.ts";
import { webhookList } from "./webhooks.ts";

/** When each delivery is tried next, by its id. */
function nextAttempts({ server }: PageContext): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { at, task } of server.sandboxState.state.timers) {
    if (task.kind !== "deliver") continue;
    next.set(task.delivery, Math.min(at, next.get(task.delivery) ?? at));
  }
  return next;
}

function stateBadge({ state, attempts }: StoredDelivery, next: number | undefined): Html {
  if (state === "delivered") return badge("good", "check", "Delivered");
  if (state === "failed") return badge("bad", "cross", "Failed");
  if (attempts.length === 0 && next === undefined) return badge("waiting", "send", "Sending");
  return badge("waiting", "retry", next === undefined ? "Sending" : `Retry at ${timeOf(next)}`);
}

const shortUrl = (url: string) => {
  const { host, pathname } = new URL(url);
  return clipped(host + pathname, 60);
};

/** The payment or invoice of an event, as the merchant names it. */
function labelOf({ server }: PageContext, { body }: StoredDelivery): string {
  const { data } = JSON.parse(body) as { data?: Record<string, unknown> };
  const payment = server.sandboxState.payments.get(String(data?.reference));
  const label = payment?.account_reference || data?.account_reference;
  return String(label || (data?.number ?? data?.reference ?? ""));
}

function lastAttempt(context: PageContext, { url, attempts }: StoredDelivery): Part {
  const { status, latencyMs } = attempts.at(-1) ?? {};
  const running = context.server.clock === "real";
  const facts = [
    context.server.sandboxState.state.webhooks.length > 1 && shortUrl(url),
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
  const { id, event, state, attempts, chaos } = delivery;
  const open = context.view.delivery === id;
  const reason = state === "delivered" ? undefined : lastFailure(context, delivery);
  // Some reasons name the chaos already.
  const isChaosReason = reason?.title.startsWith("Chaos") === true;
  const { at } = attempts.at(-1) ?? {};
  const tone = state === "delivered" ? "good" : reason === undefined ? "waiting" : "bad";
  const link = linkTo(context.view, { delivery: open ? "" : id }, `delivery-${id}`);
  const label = labelOf(context, delivery);
  return html`<li class="row ${tone}" id="delivery-${id}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><strong class="event">${event}</strong>${label !== "" && html`<span class="tag">${label}</span>`}</span>${stateBadge(delivery, next)}
<span class="row-sub">${lastAttempt(context, delivery)}</span><time>${at === undefined ? "" : timeOf(Date.parse(at))}</time>
${reason && html`<span class="row-why">${icon("warning")}${reason.title}</span>`}${chaos !== undefined && !isChaosReason && faultNote(`chaos: ${chaos.faults.join(", ")}`)}</a>
${open && deliveryDetail(context, delivery)}</li>`;
}

const hasFailed = ({ state, attempts }: StoredDelivery) =>
  state !== "delivered" && attempts.length > 0 && attempts.at(-1)?.status !== 200;

/** What the list can be limited to, by the name in the address. */
const STATES: Readonly<
  Record<string, readonly [text: string, matches: (one: StoredDelivery) => boolean]>
> = {
  "": ["All", () => true],
  delivered: ["Delivered", ({ state }) => state === "delivered"],
  pending: ["Retrying", ({ state }) => state === "pending"],
  failed: ["Failed", ({ state }) => state === "failed"],
};

function stateFilters(context: PageContext): Html {
  const { deliveries } = context.server.sandboxState.state;
  return filters(context, {
    field: "state",
    page: "deliveries",
    at: "deliveries",
    label: "Deliveries by state",
    choices: Object.entries(STATES).map(
      ([value, [text, matches]]) => [value, text, deliveries.filter(matches).length] as const,
    ),
  });
}

/** Sends again, in one go, what failed while a receiver was broken. */
function resendFailed(context: PageContext): Html | undefined {
  const failed = context.server.sandboxState.state.deliveries.filter(hasFailed).length;
  if (failed === 0) return undefined;
  return form(
    { context, action: "deliveries/resend-failed", at: "deliveries" },
    html`<button class="quiet">${icon("retry")}Resend undelivered<small>${failed}</small></button>`,
  );
}

/** What was sent to the merchant's receivers, and what they returned. */
export function deliveriesPane(context: PageContext): Html {
  const { deliveries, webhooks } = context.server.sandboxState.state;
  const next = nextAttempts(context);
  const [, matches] = STATES[context.view.state] ?? ["", () => true];
  const found = deliveries.filter(matches);
  const rows = pageOf(found, context.view.deliveries).map((one) =>
    row(context, one, next.get(one.id)),
  );
  const empty =
    deliveries.length > 0
      ? "No delivery matches."
      : webhooks.length > 0 && "Nothing has been sent yet. The next event is sent at once.";
  return html`<section class="card" id="deliveries" aria-labelledby="deliveries-title">
<div class="card-head"><h2 id="deliveries-title" tabindex="-1">${icon("send")}Webhook deliveries</h2>${resendFailed(context)}</div>
${webhookList(context)}
${deliveries.length > 0 && stateFilters(context)}
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : empty && html`<p class="empty">${empty}</p>`}
${pager(context.view, "deliveries", found.length)}
</section>`;
}
