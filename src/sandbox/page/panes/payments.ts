import { localFormat } from "../../payments/phone-number.ts";
import type { StoredPayment } from "../../state/records.ts";
import { badge, faultNote, filters, isRejected, pageOf, pager, type Tone } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped, money, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import { linkTo } from "../view.ts";
import { payForm } from "./pay-form.ts";
import { paymentDetail } from "./payment-detail.ts";

/** Up to this many, nobody needs a search. */
const MAX_WITHOUT_SEARCH = 10;

const STATUS: Readonly<
  Record<StoredPayment["status"], readonly [tone: Tone, shape: IconName, text: string]>
> = {
  pending: ["waiting", "clock", "Pending"],
  completed: ["good", "check", "Completed"],
  failed: ["bad", "cross", "Failed"],
};

/** The faults that its requests met. */
const faultsOf = ({ log }: PageContext, { reference }: StoredPayment): string[] => [
  ...new Set(log.forPayment(reference).flatMap(({ fault }) => fault ?? [])),
];

function row(context: PageContext, payment: StoredPayment): Html {
  const { reference, cents, currency, status, phone, account_reference, createdAt } = payment;
  const open = context.view.payment === reference;
  const [tone, shape, text] = STATUS[status];
  const faults = faultsOf(context, payment);
  const link = linkTo(context.view, { payment: open ? "" : reference }, `payment-${reference}`);
  return html`<li class="row payment ${tone}" id="payment-${reference}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><strong class="amount">${money(cents, currency)}</strong>${account_reference !== "" && html`<span class="tag">${account_reference}</span>`}</span>${badge(tone, shape, text)}
<span class="row-sub"><span class="what">${localFormat(phone)}</span>${payment.description !== "" && html`<span class="what">${clipped(payment.description, 90)}</span>`}</span><time>${timeOf(createdAt)}</time>
${payment.failure && html`<span class="row-why">${icon("warning")}${payment.failure.reason}</span>`}${faults.length > 0 && faultNote(`fault: ${faults.join(", ")}`)}</a>
${open && paymentDetail(context, payment)}</li>`;
}

function matchingPayments({ server, view }: PageContext): readonly StoredPayment[] {
  const { payments } = server.sandboxState.state;
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
function statusFilters(context: PageContext): Html {
  const { payments } = context.server.sandboxState.state;
  const counts = { pending: 0, completed: 0, failed: 0 };
  for (const { status } of payments) counts[status]++;
  const known = Object.entries(counts).map(
    ([status, count]) => [status, STATUS[status as keyof typeof STATUS][2], count] as const,
  );
  return filters(context, {
    field: "status",
    page: "payments",
    at: "payments",
    label: "Payments by status",
    choices: [["", "All", payments.length], ...known],
  });
}

const search = ({ view }: PageContext): Html =>
  html`<form class="inline search" method="get" action="/" role="search"><input type="hidden" name="status" value="${view.status}"><label><span class="unseen">Find a payment by reference, phone or account</span><input type="search" name="find" value="${view.find}" placeholder="Reference, phone or account"></label><button>Find</button></form>`;

/** The merchant's side. */
export function paymentsPane(context: PageContext): Html {
  const { view, server } = context;
  const all = server.sandboxState.state.payments;
  const found = matchingPayments(context);
  const rows = pageOf(found, view.payments).map((one) => row(context, one));
  const empty = all.length === 0 ? "No payment yet." : "No payment matches.";
  const isOpen = isRejected({ context, action: "pay", at: "payments" });
  return html`<section class="card" id="payments" aria-labelledby="payments-title">
<div class="card-head"><h2 id="payments-title" tabindex="-1">${icon("coins")}Payments</h2></div>
${all.length > 0 && html`<details class="more new" id="pay-more"${isOpen && html` open`}><summary>${icon("plus")}New payment</summary>${payForm(context, "payments")}</details>`}
${all.length > 0 && statusFilters(context)}
${(all.length > MAX_WITHOUT_SEARCH || view.find !== "") && search(context)}
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="rows">${rows}</ul>`}
${pager(view, "payments", found.length)}
</section>`;
}
