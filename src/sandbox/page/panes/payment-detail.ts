import { localFormat } from "../../payments/phone-number.ts";
import type { StoredDelivery, StoredPayment } from "../../state/stored.ts";
import { copyButton, type Tone, terms } from "../components.ts";
import { clipped, timeOf } from "../format.ts";
import { type Html, html, type Part } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import { linkTo, type PageContext } from "../view.ts";
import { foldedExchange } from "./exchange.ts";

interface Moment {
  readonly at: number | undefined;
  readonly tone: Tone;
  readonly shape: IconName;
  readonly text: Part;
}

/** Deliveries that carry a payment, oldest first. */
const deliveriesOf = ({ state }: PageContext, { reference }: StoredPayment): StoredDelivery[] =>
  state.deliveries.filter(({ body }) => body.includes(reference));

function lastMoment(context: PageContext, payment: StoredPayment): Moment {
  const { status, failure, transaction_id, finalAt: at } = payment;
  if (status === "completed") {
    return {
      at,
      tone: "good",
      shape: "check",
      text: html`Paid. Receipt <code>${transaction_id}</code>`,
    };
  }
  if (status === "failed") {
    return { at, tone: "bad", shape: "cross", text: `Failed. ${failure?.userMessage ?? ""}` };
  }
  const on = context.state.phones[payment.phone]?.on !== false;
  const text = !on
    ? "The phone is off: the prompt will expire"
    : payment.ignored === true
      ? "Ignored: the prompt will expire"
      : "Waiting for the customer";
  return { at: undefined, tone: "waiting", shape: "clock", text };
}

const DELIVERY_STATES: Readonly<
  Record<StoredDelivery["state"], readonly [tone: Tone, shape: IconName, text: string]>
> = {
  pending: ["waiting", "retry", "pending"],
  delivered: ["good", "send", "delivered"],
  failed: ["bad", "send", "failed"],
};

function deliveryMoment(
  context: PageContext,
  { id, event, state, attempts }: StoredDelivery,
): Moment {
  const [tone, shape, text] = DELIVERY_STATES[state];
  const { at } = attempts[0] ?? {};
  const link = linkTo(context.view, { delivery: id }, `delivery-${id}`);
  return {
    at: at === undefined ? undefined : Date.parse(at),
    tone,
    shape,
    text: html`<a href="${link}"><code>${event}</code></a> ${text}`,
  };
}

/** What happened to a payment, in order. Moments without a time yet come last. */
function timeline(context: PageContext, payment: StoredPayment): Html {
  const { createdAt, checkout_request_id, phone } = payment;
  const moments: Moment[] = [
    { at: createdAt, tone: "plain", shape: "plus", text: "Started by the merchant" },
    checkout_request_id === undefined
      ? { at: createdAt, tone: "bad", shape: "phone", text: "No prompt: another prompt was open" }
      : { at: createdAt, tone: "plain", shape: "phone", text: `Prompt on ${localFormat(phone)}` },
    lastMoment(context, payment),
    ...deliveriesOf(context, payment).map((one) => deliveryMoment(context, one)),
  ];
  // Deliveries are timed to the second. Moments of the same second keep their order.
  const second = ({ at = Number.POSITIVE_INFINITY }: Moment) => Math.floor(at / 1_000);
  const order = (one: Moment, other: Moment) => second(one) - second(other) || 0;
  return html`<ol class="timeline">${moments
    .sort(order)
    .map(
      ({ at, tone, shape, text }) =>
        html`<li class="${tone}">${icon(shape)}<span>${text}</span><time>${at === undefined ? "" : timeOf(at)}</time></li>`,
    )}</ol>`;
}

const copyable = (name: string, value: string | undefined) =>
  value && html`<code>${value}</code>${copyButton(value, name)}`;

/** Everything about one payment. */
export function paymentDetail(context: PageContext, payment: StoredPayment): Html {
  const { reference, checkout_request_id, description, failure } = payment;
  const exchanges = context.server.log.forPayment(reference);
  return html`${timeline(context, payment)}
${terms("about", [
  ["Reference", copyable("Reference", reference)],
  ["Checkout request", copyable("Checkout request", checkout_request_id)],
  ["Description", clipped(description, 400)],
  ["Failure reason", failure && html`<code>${failure.reason}</code>`],
  ["Retry possible", failure && (failure.retryPossible ? "yes" : "no")],
])}
<h3>HTTP requests</h3>
${exchanges.length === 0 && html`<p class="hint">Its requests are no longer in the log, which has those of the latest 1,000 payments of this run.</p>`}
${exchanges.map(foldedExchange)}`;
}
