import { countryWith } from "../../../contract/countries.ts";
import { type Html, html, type Part } from "../../../html/html.ts";
import { localFormat, mobileNumber } from "../../state/notation.ts";
import type { StoredDelivery, StoredPayment } from "../../state/stored.ts";
import {
  type Badge,
  card,
  copyable,
  type FormPlace,
  form,
  input,
  type Moment,
  terms,
  timeline,
} from "../components.ts";
import { clipped, money } from "../page-format.ts";
import { choicesOf, list, row } from "../page-list.ts";
import { linkTo, type PageContext } from "../page-view.ts";
import { DELIVERY_BADGES } from "./deliveries-pane.ts";
import { foldedExchange } from "./requests-pane.ts";

const STATUS: Readonly<Record<StoredPayment["status"], Badge>> = {
  pending: ["waiting", "clock", "Pending"],
  completed: ["good", "check", "Completed"],
  failed: ["bad", "cross", "Failed"],
};

/** Deliveries that carry a payment, oldest first. */
const deliveriesOf = ({ state }: PageContext, { reference }: StoredPayment): StoredDelivery[] =>
  state.deliveries.filter(({ body }) => body.includes(reference));

function resultText({ state }: PageContext, payment: StoredPayment): Part {
  const { status, failure, transaction_id, phone, ignored } = payment;
  if (status === "completed") return html`Paid. Receipt <code>${transaction_id}</code>`;
  if (status === "failed") return `Failed. ${failure?.userMessage ?? ""}`;
  if (state.phones[phone]?.on === false) return "The phone is off: the prompt will expire";
  return ignored ? "Ignored: the prompt will expire" : "Waiting for the customer";
}

function deliveryMoment(
  { view }: PageContext,
  { id, event, state, attempts }: StoredDelivery,
): Moment {
  const [tone, shape] = DELIVERY_BADGES[state];
  const at = attempts[0] && Date.parse(attempts[0].at);
  const link = linkTo(view, { delivery: id }, `delivery-${id}`);
  return [at, tone, shape, html`<a href="${link}"><code>${event}</code></a> ${state}`];
}

/** What happened to a payment, in order. Moments without a time yet come last. */
function momentsOf(context: PageContext, payment: StoredPayment): Moment[] {
  const { createdAt, checkout_request_id, phone, finalAt, status } = payment;
  const [tone, shape] = STATUS[status];
  const moments: Moment[] = [
    [createdAt, "plain", "plus", "Started by the merchant"],
    checkout_request_id === undefined
      ? [createdAt, "bad", "phone", "No prompt: another prompt was open"]
      : [createdAt, "plain", "phone", `Prompt on ${localFormat(phone)}`],
    [finalAt, tone, shape, resultText(context, payment)],
    ...deliveriesOf(context, payment).map((one) => deliveryMoment(context, one)),
  ];
  // Deliveries are timed to the second. Moments of the same second keep their order.
  const second = ([at = Number.POSITIVE_INFINITY]: Moment) => Math.floor(at / 1_000);
  const order = (one: Moment, other: Moment) => second(one) - second(other) || 0;
  return moments.sort(order);
}

/** Everything about one payment. */
function paymentDetail(context: PageContext, payment: StoredPayment): Html {
  const { reference, checkout_request_id, description, failure } = payment;
  const exchanges = context.server.log.forPayment(reference);
  return html`${timeline(momentsOf(context, payment))}
${terms("about", [
  ["Reference", copyable(reference, "Reference")],
  ["Checkout request", checkout_request_id && copyable(checkout_request_id, "Checkout request")],
  ["Description", clipped(description, 400)],
  ["Failure reason", failure && html`<code>${failure.reason}</code>`],
  ["Retry possible", failure && (failure.retryPossible ? "yes" : "no")],
])}
<h3>HTTP requests</h3>
${exchanges.length === 0 && html`<p class="hint">Its requests are no longer in the log, which has those of the latest 1,000 payments of this run.</p>`}
${exchanges.map(foldedExchange)}`;
}

/** Starts a payment as a merchant would. */
export function payForm(place: FormPlace): Html {
  const { country } = place.context.server;
  const { currency, example = "" } = countryWith(country) ?? {};
  const number = mobileNumber(place.context.view.phone, country);
  const phone = number === undefined ? example : localFormat(number);
  return form(
    { ...place, name: "grid", label: "Start a payment", showsError: true },
    input(place, "amount", `Amount, ${currency}`, html` inputmode="decimal" required`, "1500"),
    input(place, "phone", "Phone", html` inputmode="tel" required`, phone),
    input(place, "account_reference", "Account reference", html` maxlength="12"`, "ORDER-42"),
    input(place, "description", "Description", ""),
    html`<button class="primary">Send the prompt</button>`,
  );
}

function paymentRow(context: PageContext, payment: StoredPayment, isTold: boolean): Html {
  const { reference, cents, currency, status, phone, account_reference: account } = payment;
  const exchanges = context.server.log.forPayment(reference);
  const faults = [...new Set(exchanges.flatMap(({ fault }) => fault ?? []))];
  return row(context, {
    entry: ["payment", reference],
    head: html`<strong class="amount">${money(cents, currency)}</strong>${account !== "" && html`<span class="tag">${account}</span>`}`,
    state: STATUS[status],
    about: [localFormat(phone), payment.description],
    at: payment.createdAt,
    failure: isTold ? undefined : payment.failure?.reason,
    faults: faults.length > 0 ? `fault: ${faults.join(", ")}` : undefined,
    detail: () => paymentDetail(context, payment),
  });
}

/** The merchant's side. */
export function paymentsPane(context: PageContext): Html {
  const { payments: items } = context.state;
  const place = { context, action: "pay", at: "payments" } as const;
  return card(
    "payments",
    "coins",
    "Payments",
    undefined,
    items.length > 0 && payForm(place),
    list(context, {
      name: "payments",
      items,
      choices: choicesOf("status", STATUS),
      searched: "Reference, phone or account",
      searchedText: ({ reference, account_reference, phone, failure }) =>
        `${reference} ${account_reference} +${phone} 0${phone.slice(3)} ${localFormat(phone)} ${failure?.reason}`,
      failureOf: ({ failure }) => failure?.reason,
      row: (one, isTold) => paymentRow(context, one, isTold),
      empty: "No payment yet.",
    }),
  );
}
