// The page of an order, or of a payment, that may wait for nothing.
import { isNothing, leftAfter } from "../checkout/rules/amounts.ts";
import { saidText } from "../checkout/rules/history.ts";
import type { Order } from "../checkout/rules/order-types.ts";
import type { Html, Part } from "../html/html.ts";
import { html } from "../html/html.ts";
import { endText, GOODS_TEXTS, STATUS_TEXTS } from "./case-words.ts";
import type { Sources } from "./entry.ts";
import {
  backLink,
  type ItemContext,
  panel,
  paymentsView,
  phonesOf,
  refundsView,
  storyView,
} from "./item-view.ts";
import { caseLink, knownOfOrder, listReviews, reviewEntry, withOrder } from "./money-entries.ts";
import type { Asked } from "./queue-view.ts";
import { type RefundFields, refundForm } from "./refund-form.ts";
import { storyOf } from "./story.ts";
import { amountText, link, plural, unbroken } from "./wording.ts";

/** What may be done on the page of an order. */
interface OfferedRefund {
  readonly isOffered: boolean;
  readonly typed: RefundFields | undefined;
}

/** What came for an order, also in another currency, and what of it does not count. */
function receivedText({ amount, currency, received, due, payments, reviews }: Order): string {
  const others = payments.filter((one) => one.currency !== currency && !one.isRefunded);
  const all = [
    ...(isNothing(received) && others.length > 0 ? [] : [amountText(received, currency)]),
    ...others.map((one) => amountText(one.amount, one.currency)),
  ].join(" and ");
  const counted = leftAfter([amount], [due]);
  const uncounted = isNothing(due) ? "0.00" : leftAfter([received], [counted]);
  if (isNothing(uncounted)) return `received ${all}`;
  const part = uncounted === received ? "" : `of which ${amountText(uncounted, currency)}`;
  const which = part === "" ? "which" : part;
  const isOpen = reviews.some(({ kind }) => kind !== "unknown_outcome");
  return `received ${all}, ${isOpen ? `${which} its case decides` : `${which} does not count`}`;
}

/** What came for an order, and what it is for. */
function sumsOf(order: Order): string {
  const { due, currency, effect, reviews } = order;
  // Money that waits for a decision may pay it.
  const isKnown = reviews.every(({ kind }) => kind === "unknown_outcome");
  const left = isKnown && !isNothing(due) && `left to pay ${amountText(due, currency)}`;
  return [receivedText(order), left, GOODS_TEXTS[effect]].filter(Boolean).join(" · ");
}

const caseView = (cause: Part, href: string): Html =>
  html`<div class="notice waiting stack"><p>${cause}</p><p><a class="button primary" href="${href}">Open the case</a></p></div>`;

/** The cases of an order that wait: its money is decided there. */
function casesView(sources: Sources, order: Order): Part {
  const { reviews } = order;
  if (reviews.length === 0) return false;
  const title =
    reviews.length === 1
      ? "A case of this order waits."
      : `${plural(reviews.length, "case")} of this order wait.`;
  return reviews.map((review, at) => {
    const { cause } = withOrder(reviewEntry(sources, review), order);
    const first = at === 0 && html`<strong>${title}</strong> `;
    return caseView(html`${first}${unbroken(cause)}`, caseLink(review));
  });
}

async function orderView(
  context: ItemContext,
  asked: Asked,
  order: Order,
  refund: OfferedRefund,
): Promise<Html> {
  const { sources, time } = context;
  const { amount = "", phone, references } = knownOfOrder(order);
  const story = await storyOf(sources, { orderId: order.id, references });
  const status = html`<p class="line"><strong>${unbroken(amount)}</strong> <span class="tag">${STATUS_TEXTS[order.status]}</span> <span class="phone">${phone}</span></p><p>${unbroken(sumsOf(order))}</p>${order.effectError !== undefined && html`<p class="bad">The goods could not be handed over. It says: ${order.effectError}.</p>`}`;
  const content = html`${status}${casesView(sources, order)}${refundsView(order, time)}${refund.isOffered && refundForm(order, refund.typed)}${paymentsView(story.payments, phonesOf(context, asked), { refunds: order.refunds, time })}${storyView(story, time)}`;
  return panel(html`Order ${order.id}`, content);
}

/** What belongs to a payment: its order, its case, or what was decided about it. */
async function subjectOf(context: ItemContext, payment: string) {
  const { sources, time } = context;
  const { checkout } = sources;
  const orders = (await checkout?.find(payment)) ?? [];
  const order = orders.find((one) => knownOfOrder(one).references.includes(payment));
  if (order !== undefined) {
    const view = html`<p>It is a payment of <a href="${link({ order: order.id })}">order ${order.id}</a>.</p>`;
    return { view, refunds: order.refunds };
  }
  const decided = await checkout?.reviews.decided(payment);
  if (decided !== undefined) {
    const { review, end, note } = decided;
    const at = end.decidedAt?.getTime() ?? 0;
    const [text, said] = [endText(end), saidText(note)];
    const view = html`<p class="notice good"><strong>${text}</strong> ${time(at)}${said !== "" && `.${said}`}</p>`;
    const decisions = [{ at, text: `${text}.${said}` }];
    return { view, since: Date.parse(review.createdAt), decisions, refunds: [] };
  }
  const id = `review:unmatched:${payment}`;
  const { entries } = await listReviews(sources, "late");
  const open = entries.find((one) => one.id === id);
  if (open === undefined) return { view: undefined, refunds: [] };
  const view = caseView(
    html`<strong>A case of this payment waits.</strong> ${unbroken(open.cause)}`,
    link({ list: "late", item: id }),
  );
  return { view, since: open.at, refunds: [] };
}

async function paymentView(context: ItemContext, asked: Asked, payment: string): Promise<Html> {
  const { sources, time } = context;
  const { view, refunds, ...known } = await subjectOf(context, payment);
  const story = await storyOf(sources, { references: [payment], ...known });
  const content = html`${view}${paymentsView(story.payments, phonesOf(context, asked), { refunds, time })}${storyView(story, time)}`;
  return panel(html`Payment ${payment}`, content);
}

/** An order, or a payment, that may wait for nothing. */
export async function lookupView(
  context: ItemContext,
  asked: Asked,
  refund: OfferedRefund,
): Promise<Html> {
  const { order: id, payment = id ?? "" } = asked;
  const order = id === undefined ? undefined : await context.sources.checkout?.inspect(id);
  const view =
    order === undefined
      ? paymentView(context, asked, payment)
      : orderView(context, asked, order, refund);
  return html`${backLink(asked.from, html`<p><a href="?">← Everything</a></p>`)}${await view}`;
}
