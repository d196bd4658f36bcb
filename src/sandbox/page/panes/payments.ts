import { localFormat } from "../../payments/phone-number.ts";
import type { StoredPayment } from "../../state/stored.ts";
import { card, folded, type Tone } from "../components.ts";
import { money } from "../format.ts";
import { type Html, html } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import { list, row } from "../list.ts";
import type { PageContext } from "../view.ts";
import { payForm } from "./pay-form.ts";
import { paymentDetail } from "./payment-detail.ts";

const STATUS: Readonly<
  Record<StoredPayment["status"], readonly [tone: Tone, shape: IconName, text: string]>
> = {
  pending: ["waiting", "clock", "Pending"],
  completed: ["good", "check", "Completed"],
  failed: ["bad", "cross", "Failed"],
};

const CHOICES = Object.entries(STATUS).map(
  ([value, [, , text]]) => [value, text, ({ status }: StoredPayment) => status === value] as const,
);

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
  const items = context.server.sandboxState.state.payments;
  const place = { context, action: "pay", at: "payments" } as const;
  return card(
    "payments",
    "coins",
    "Payments",
    undefined,
    items.length > 0 && folded("pay-more", html`${icon("plus")}New payment`, payForm(place), place),
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
