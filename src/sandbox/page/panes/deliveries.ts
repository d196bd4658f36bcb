import { machineTime } from "../../clock/machine.ts";
import { hasFailed } from "../../deliveries/deliveries.ts";
import type { StoredDelivery } from "../../state/stored.ts";
import { type Badge, button, card } from "../components.ts";
import { type FailureReason, findFailureReason } from "../failure-reason.ts";
import { timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import { list, row } from "../list.ts";
import type { PageContext } from "../view.ts";
import { deliveryDetail } from "./delivery-detail.ts";
import { webhookList } from "./webhooks.ts";

const CHOICES = (
  [
    ["delivered", "Delivered"],
    ["pending", "Retrying"],
    ["failed", "Failed"],
  ] as const
).map(([value, text]) => [value, text, ({ state }: StoredDelivery) => state === value] as const);

/** Why the last attempt failed; `undefined` if it did not, or if there is none. */
function lastFailure(
  { server }: PageContext,
  { attempts, responses, url, body, chaos }: StoredDelivery,
): FailureReason | undefined {
  const last = attempts.at(-1);
  if (last === undefined || last.status === 200) return undefined;
  const { timestamp = "" } = JSON.parse(body) as { timestamp?: string };
  const signedAt = Date.parse(timestamp);
  return findFailureReason({
    ...last,
    chaos: [...(last.chaos ?? []), ...(chaos?.faults ?? [])],
    response: responses?.[attempts.length - 1] ?? "",
    url,
    ageMs: machineTime() - signedAt,
    sinceEventMs: Date.parse(last.at) - signedAt,
    clock: server.clock,
  });
}

const failureOf = (context: PageContext, delivery: StoredDelivery) =>
  delivery.state === "delivered" ? undefined : lastFailure(context, delivery)?.title;

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
  if (state === "delivered") return ["good", "check", "Delivered"];
  if (state === "failed") return ["bad", "cross", "Failed"];
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
    head: html`<strong class="event">${event}</strong>${label !== "" && html`<span class="tag">${label}</span>`}`,
    state: badgeOf(delivery, next),
    about: [
      state.webhooks.length > 1 && url.replace(/^https?:\/\//, ""),
      attempts.length > 1 && `${attempts.length} attempts`,
      attempts.length > 0 &&
        (status === undefined ? "no response" : `returned ${status}${duration}`),
    ],
    at: at === undefined ? undefined : Date.parse(at),
    failure,
    // Some reasons name the chaos already.
    faults:
      chaos !== undefined && !failure?.startsWith("Chaos")
        ? `chaos: ${chaos.faults.join(", ")}`
        : undefined,
    detail: () => deliveryDetail(context, delivery, lastFailure(context, delivery)),
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
        choices: CHOICES,
        searched: "Event, order or body",
        textOf: (one) => `${one.id} ${one.event} ${one.url} ${one.body} ${failureOf(context, one)}`,
        failureOf: (one) => failureOf(context, one),
        row: (one) => deliveryRow(context, one, next.get(one.id)),
        empty: "Nothing has been sent yet. The next event is sent at once.",
      }),
  );
}
