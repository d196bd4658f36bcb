import { kenyanMobile, localFormat } from "../../payments/phone-number.ts";
import type { StoredPayment } from "../../state/stored.ts";
import { type Badge, card, type FormPlace, folded, form, input } from "../components.ts";
import { money } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import { list, row } from "../list.ts";
import type { PageContext } from "../view.ts";
import { paymentDetail } from "./payment-detail.ts";

const STATUS: Readonly<Record<StoredPayment["status"], Badge>> = {
  pending: ["waiting", "clock", "Pending"],
  completed: ["good", "check", "Completed"],
  failed: ["bad", "cross", "Failed"],
};

const CHOICES = Object.entries(STATUS).map(
  ([value, [, , text]]) =>
    [value, String(text), ({ status }: StoredPayment) => status === value] as const,
);

/** Starts a payment as a merchant would. */
export function payForm(place: FormPlace): Html {
  const number = kenyanMobile(place.context.view.phone);
  const phone = number === undefined ? "0712 345 678" : `0${number.slice(3)}`;
  return form(
    { ...place, name: "grid", label: "Start a payment", showsError: true },
    input(place, "amount", "Amount, KES", html` inputmode="decimal" required`, "1500"),
    input(place, "phone", "Phone", html` inputmode="tel" required`, phone),
    input(place, "account_reference", "Account reference", html` maxlength="12"`, "ORDER-42"),
    input(place, "description", "Description", ""),
    html`<button class="primary">Send the prompt</button>`,
  );
}

function paymentRow(context: PageContext, payment: StoredPayment): Html {
  const { reference, cents, currency, status, phone, account_reference: account } = payment;
  const exchanges = context.server.log.forPayment(reference);
  const faults = [...new Set(exchanges.flatMap(({ fault }) => fault ?? []))];
  return row(context, {
    entry: ["payment", reference],
    head: html`<strong class="amount">${money(cents, currency)}</strong>${account !== "" && html`<span class="tag">${account}</span>`}`,
    state: STATUS[status],
    about: [localFormat(phone), payment.description],
    at: payment.createdAt,
    failure: payment.failure?.reason,
    faults: faults.length > 0 ? `fault: ${faults.join(", ")}` : undefined,
    detail: () => paymentDetail(context, payment),
  });
}

/** The merchant's side. */
export function paymentsPane(context: PageContext): Html {
  const { payments: items } = context.state;
  const place = { context, action: "pay", at: "payments" } as const;
  const summary = html`${icon("plus")}New payment`;
  return card(
    "payments",
    "coins",
    "Payments",
    undefined,
    items.length > 0 && folded("pay-more", summary, payForm(place), "more", place),
    list(context, {
      name: "payments",
      items,
      choices: CHOICES,
      searched: "Reference, phone or account",
      textOf: ({ reference, account_reference, phone, failure }) =>
        `${reference} ${account_reference} +${phone} 0${phone.slice(3)} ${localFormat(phone)} ${failure?.reason}`,
      failureOf: ({ failure }) => failure?.reason,
      row: (one) => paymentRow(context, one),
      empty: "No payment yet.",
    }),
  );
}
