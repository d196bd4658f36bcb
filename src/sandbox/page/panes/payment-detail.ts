import type { LoggedExchange } from "../../observe/exchange-log.ts";
import type { StoredDelivery, StoredPayment } from "../../state/records.ts";
import { clipped, shortPhone, timeOf } from "../format.ts";
import { type Html, html, type Part } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import type { Shown } from "../page.ts";
import { block, copyButton, type Tone } from "../pieces.ts";
import { linkTo } from "../view.ts";

interface Moment {
  readonly at: number | undefined;
  readonly tone: Tone;
  readonly shape: IconName;
  readonly text: Part;
}

/** Deliveries that carry a payment, oldest first. */
const deliveriesOf = ({ host }: Shown, { reference }: StoredPayment): StoredDelivery[] =>
  host.world.state.deliveries.filter(({ body }) => body.includes(reference));

function lastMoment(shown: Shown, payment: StoredPayment): Moment {
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
  const on = shown.host.world.state.phones[payment.phone]?.on !== false;
  const text = !on
    ? "The phone is off: the request will expire"
    : payment.ignored === true
      ? "Put away: the request will expire"
      : "Waiting for the customer";
  return { at: undefined, tone: "waiting", shape: "clock", text };
}

const DELIVERED: Readonly<
  Record<StoredDelivery["state"], readonly [tone: Tone, shape: IconName, text: string]>
> = {
  pending: ["waiting", "retry", "on its way"],
  delivered: ["good", "send", "delivered"],
  failed: ["bad", "send", "given up"],
};

function delivered(shown: Shown, { id, event, state, attempts }: StoredDelivery): Moment {
  const [tone, shape, text] = DELIVERED[state];
  const { at } = attempts[0] ?? {};
  const link = linkTo(shown.view, { delivery: id }, `delivery-${id}`);
  return {
    at: at === undefined ? undefined : Date.parse(at),
    tone,
    shape,
    text: html`<a href="${link}"><code>${event}</code></a> ${text}`,
  };
}

/** What happened to a payment, in order; what has no time yet comes last. */
function timeline(shown: Shown, payment: StoredPayment): Html {
  const { createdAt, checkout_request_id, phone } = payment;
  const moments: Moment[] = [
    { at: createdAt, tone: "plain", shape: "plus", text: "Started by the merchant" },
    checkout_request_id === undefined
      ? { at: createdAt, tone: "bad", shape: "phone", text: "No prompt: another one was open" }
      : { at: createdAt, tone: "plain", shape: "phone", text: `Prompt on ${shortPhone(phone)}` },
    lastMoment(shown, payment),
    ...deliveriesOf(shown, payment).map((one) => delivered(shown, one)),
  ];
  // To the second, as deliveries have it; what is of the same second stays as it was put.
  const second = ({ at = Number.POSITIVE_INFINITY }: Moment) => Math.floor(at / 1_000);
  const order = (one: Moment, other: Moment) => second(one) - second(other) || 0;
  return html`<ol class="timeline">${moments
    .sort(order)
    .map(
      ({ at, tone, shape, text }) =>
        html`<li class="${tone}">${icon(shape)}<span>${text}</span><time>${at === undefined ? "" : timeOf(at)}</time></li>`,
    )}</ol>`;
}

const fact = (name: string, value: string | undefined, copied = false): Html | undefined =>
  value === undefined || value === ""
    ? undefined
    : html`<div><dt>${name}</dt><dd><code>${clipped(value, 400)}</code>${copied && copyButton(value, name)}</dd></div>`;

const lines = (headers: LoggedExchange["requestHeaders"]) =>
  headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/** A request and its answer, byte for byte but for the key. */
export function exchange(one: LoggedExchange, place: "wire" | "refused"): Html {
  const {
    at,
    line,
    requestHeaders: headers,
    requestBody: body,
    status,
    responseHeaders: answerHeaders,
    responseBody: answer,
    fault,
  } = one;
  const outcome = status === undefined ? "no answer" : String(status);
  const bad = fault !== undefined || status === undefined || status >= 400;
  return html`<details class="raw" id="${place}-${one.id}"><summary><code>${line}</code><span class="badge ${bad ? "bad" : "plain"}">${outcome}${fault !== undefined && html` fault: ${fault}`}</span><time>${timeOf(at)}</time></summary>
${block(`${line}\n${lines(headers)}\n\n${body}`.trimEnd(), "the request")}
${status === undefined ? html`<p class="hint">No answer went out.</p>` : block(`HTTP ${status}\n${lines(answerHeaders)}\n\n${answer}`, "the answer")}
</details>`;
}

/** All of one payment. */
export function paymentDetail(shown: Shown, payment: StoredPayment): Html {
  const { reference, checkout_request_id, description, failure } = payment;
  const exchanges = shown.log.forPayment(reference);
  return html`<div class="detail" id="payment-detail-${reference}">
${timeline(shown, payment)}
<dl class="facts">
${fact("Reference", reference, true)}
${fact("Checkout request", checkout_request_id, true)}
${fact("Description", description)}
${fact("failure_reason", failure?.reason)}
${failure && fact("retry_possible", String(failure.retryPossible))}
</dl>
<h3>On the wire</h3>
${exchanges.length === 0 && html`<p class="hint">Its requests are no longer kept: the log holds the latest thousand payments of this run.</p>`}
${exchanges.map((one) => exchange(one, "wire"))}
</div>`;
}
