import { localFormat } from "../../payments/phone-number.ts";
import type { StoredPayment } from "../../state/records.ts";
import { badge, pageOf, pager, type Tone } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped, money, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import { linkTo } from "../view.ts";
import { payForm } from "./pay-form.ts";
import { exchange, paymentDetail } from "./payment-detail.ts";

const PER_PAGE = 50;

const STATUS: Readonly<
  Record<StoredPayment["status"], readonly [tone: Tone, shape: IconName, text: string]>
> = {
  pending: ["waiting", "clock", "Pending"],
  completed: ["good", "check", "Completed"],
  failed: ["bad", "cross", "Failed"],
};

function row(context: PageContext, payment: StoredPayment): Html {
  const { reference, cents, currency, status, phone, account_reference, createdAt } = payment;
  const open = context.view.payment === reference;
  const [tone, shape, text] = STATUS[status];
  const link = linkTo(context.view, { payment: open ? "" : reference }, `payment-${reference}`);
  return html`<li class="row payment ${tone}" id="payment-${reference}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><strong class="amount">${money(cents, currency)}</strong>${account_reference !== "" && html`<span class="tag">${account_reference}</span>`}</span>${badge(tone, shape, text)}
<span class="row-sub">${localFormat(phone)}${payment.description !== "" && html` <span class="what">${clipped(payment.description, 90)}</span>`}</span><time>${timeOf(createdAt)}</time></a>
${open && paymentDetail(context, payment)}</li>`;
}

function matchingPayments({ host, view }: PageContext): readonly StoredPayment[] {
  const { payments } = host.world.state;
  const { status, find } = view;
  if (status === "" && find === "") return payments;
  const text = find.toLowerCase();
  const digits = find.replace(/[\s+]/g, "").replace(/^0/, "");
  return payments.filter(
    (one) =>
      (status === "" || one.status === status) &&
      (text === "" ||
        one.reference.toLowerCase().includes(text) ||
        one.account_reference.toLowerCase().includes(text) ||
        (digits !== "" && one.phone.includes(digits))),
  );
}

/** How many payments have each status, each a link to only those. */
function filters({ host, view }: PageContext): Html {
  const counts = { pending: 0, completed: 0, failed: 0 };
  for (const { status } of host.world.state.payments) counts[status]++;
  const link = (status: string, text: string, count: number) =>
    html`<a href="${linkTo(view, { status, payments: 1 }, "payments")}"${view.status === status && html` aria-current="true"`}>${text}<small>${count.toLocaleString("en")}</small></a>`;
  const all = host.world.state.payments.length;
  return html`<nav class="filters" aria-label="Payments by status">${link("", "All", all)}${Object.entries(counts).map(([status, count]) => link(status, STATUS[status as keyof typeof STATUS][2], count))}</nav>`;
}

const search = ({ view }: PageContext): Html =>
  html`<form class="inline search" method="get" action="/" role="search"><input type="hidden" name="status" value="${view.status}"><label><span class="unseen">Find a payment by reference, phone or account</span><input type="search" name="find" value="${view.find}" placeholder="Reference, phone or account"></label><button>Find</button></form>`;

/** Requests that failed: where a newcomer looks first. */
function failedRequests({ log }: PageContext): Html | undefined {
  const all = log.failures();
  if (all.length === 0) return undefined;
  return html`<details class="more failed-requests" id="failed-requests"><summary>${icon("warning")}Failed requests<small>${all.length}</small></summary>${all.map((one) => exchange(one, "failed"))}</details>`;
}

/** The merchant's side. */
export function paymentsPane(context: PageContext): Html {
  const { view, host } = context;
  const all = host.world.state.payments;
  const found = matchingPayments(context);
  const rows = pageOf(found, view.payments, PER_PAGE).map((one) => row(context, one));
  const empty = all.length === 0 ? "No payment yet." : "No payment matches.";
  return html`<section class="card" id="payments" aria-labelledby="payments-title">
<div class="card-head"><h2 id="payments-title" tabindex="-1">${icon("coins")}Payments</h2></div>
${all.length > 0 && html`<details class="more new" id="pay-more"><summary>${icon("plus")}New payment</summary>${payForm(view, "payments")}</details>`}
${all.length > 0 && filters(context)}
${all.length > 10 && search(context)}
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="rows">${rows}</ul>`}
${pager(view, "payments", found.length, PER_PAGE)}
${failedRequests(context)}
</section>`;
}
