import type { Order, Refund } from "../checkout/rules/order-types.ts";
import type { CountryCode } from "../contract/countries.ts";
import { ReviewDecidedError } from "../errors/order.ts";
import { type Html, html, type Part } from "../html/html.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import { staffMessage } from "./case-words.ts";
import { type Choice, countryOf, type Entry, type Sources } from "./entry.ts";
import { codeOf } from "./event-entries.ts";
import { withOrders } from "./money-entries.ts";
import { type Group, LISTS, type QueueList } from "./queue-lists.ts";
import { type Asked, headline } from "./queue-view.ts";
import { noteFields } from "./refund-form.ts";
import { type Comparison, comparisonOf, type ReadPayment, type Story, storyOf } from "./story.ts";
import {
  ageText,
  amountText,
  link,
  phoneText,
  unbroken,
  type WriteTime,
  wholePhoneText,
} from "./wording.ts";

/** How much of a body is shown. The whole one is downloaded. */
const SHOWN_CHARACTERS = 65_536;

/** Links to what may be decided; with `do`, the question whether it shall be done. */
function choicesView(
  choices: readonly Choice[],
  asked: Asked,
  count: number,
  fields: Readonly<Record<string, string>>,
): Part {
  if (choices.length === 0) return false;
  const chosen = choices.find(({ action }) => action === asked.do);
  const back = link({ ...asked, do: undefined });
  if (chosen === undefined) {
    return html`<ul class="line choices" aria-label="What may be decided">${choices.map(({ action, label, isDestructive }) => html`<li><a class="button${isDestructive && " bad"}" href="${link({ ...asked, do: action })}">${label}${count > 1 && `: all ${count}`}…</a></li>`)}</ul>`;
  }
  const { action, label, isDestructive, asks = [] } = chosen;
  const inputs = Object.entries({ ...fields, action });
  return html`<form method="post" action="${back}" class="confirm notice${isDestructive && " bad"}"><p><strong>${unbroken(chosen.says(count))}</strong></p>${noteFields(asks, undefined)}<div class="line">${inputs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="${isDestructive ? "danger" : "primary"}">${label}${count > 1 && `: all ${count}`}</button><a class="button" href="${back}">Go back</a></div></form>`;
}

/** What may be decided about all events of a group. */
export function groupChoices(list: string, { key, entries }: Group, asked: Asked): Part {
  const until = String(entries.at(-1)?.at ?? 0);
  const fields = { list, group: key, until };
  return choicesView(entries[0]?.choices ?? [], asked, entries.length, fields);
}

export const storyView = ({ lines, isWhole }: Story, time: WriteTime): Html =>
  html`<h3>What happened</h3>${lines.length === 0 ? html`<p class="hint">Nothing is known with its time.</p>` : html`<ol class="story">${lines.map(({ at, text, by }) => html`<li>${time(at)}<span>${unbroken(text)}${by !== undefined && html` <strong>By ${by}.</strong>`}</span></li>`)}</ol>`}${!isWhole && html`<p class="hint">Not all events were searched: they are found by the reference of the payment. One that has another identity, by <code>identify</code> or a merchant, is found by the search.</p>`}`;

/** What was paid back of an order. */
export const refundsView = ({ refunds, payments }: Order, time: WriteTime): Part =>
  refunds.length > 0 &&
  html`<h3>Paid back</h3><ul class="stack">${refunds.map(({ amount, currency, at, reference, reason, by, payments: whole }) => html`<li>${unbroken(amountText(amount, currency))}${whole.length > 0 && html` (${unbroken(whole.map((one) => namesOf(payments, one)).join(", "))})`}${reference !== undefined && html` <strong>${reference}</strong>`} ${time(Date.parse(at))}${by !== undefined && html` by ${by}`}${reason !== undefined && html`: ${reason}`}</li>`)}</ul>`;

/** A payment by its name and its code. */
const namesOf = (payments: Order["payments"], name: string): string =>
  [name, payments.find((one) => one.reference === name)?.transactionId].filter(Boolean).join(", ");

/** How the phones of payers are shown. */
interface Phones {
  readonly country: CountryCode | undefined;
  /** The address of the same page with whole numbers, for a person who may read them. */
  readonly whole: string | undefined;
  /** Whether they are asked for now. */
  readonly areWhole: boolean;
}

export const phonesOf = ({ sources, mayReadPhones }: ItemContext, asked: Asked): Phones => ({
  country: countryOf(sources),
  whole: mayReadPhones ? link({ ...asked, whole: "1" }) : undefined,
  areWhole: mayReadPhones && asked.whole !== undefined,
});

function payerView(phone: unknown, { country, whole, areWhole }: Phones): Part {
  const masked = phoneText(phone, country);
  if (masked === undefined || whole === undefined)
    return masked && html`<span class="phone">${masked}</span>`;
  if (areWhole) return html`<span class="phone">${wholePhoneText(phone, country)}</span>`;
  return html`<span class="phone">${masked}</span> <a href="${whole}">Show the whole number</a>`;
}

/** What is known of a payment beside what the service says. */
interface PaymentNotes {
  /** The payment that a decision is about, if there are others. */
  readonly meant?: string | undefined;
  readonly refunds: readonly Refund[];
  readonly time: WriteTime;
}

function paidBackView(reference: string, { refunds, time }: PaymentNotes): Part {
  const refund = refunds.find(({ payments }) => payments.includes(reference));
  if (refund === undefined) return false;
  return html`<p><strong>paid back${refund.by !== undefined && ` by ${refund.by}`}</strong> ${time(Date.parse(refund.at))}</p>`;
}

const paymentView = (
  { reference, payment, error }: ReadPayment,
  phones: Phones,
  notes: PaymentNotes,
): Html =>
  html`<li class="payment"><p class="line"><strong>${reference}</strong> ${reference === notes.meant && html`<span class="badge">this case</span>`}</p>${paidBackView(reference, notes)}<p class="line">${payment ? html`<span>${unbroken(amountText(payment.amount, payment.currency))}</span> <span class="tag">${payment.status}</span>${payment.account_reference && html` <span>label ${payment.account_reference}</span>`}${codeOf(payment) !== undefined && html` <span class="code">${codeOf(payment)}</span>`} ${payerView(payment.phone, phones)}` : html`<span class="bad">${error}</span>`}</p></li>`;

export const paymentsView = (
  payments: readonly ReadPayment[],
  phones: Phones,
  { meant, ...notes }: PaymentNotes,
): Part =>
  payments.length > 0 &&
  html`<h3>At the payment service now</h3><ul class="stack">${payments.map((one) => paymentView(one, phones, { ...notes, meant: payments.length > 1 ? meant : undefined }))}</ul>`;

/** Fields in which the service writes a sentence. */
const SENTENCES: readonly string[] = ["failure_reason", "user_message"];

const cell = (field: string, value: string | undefined, country: CountryCode | undefined): Part => {
  if (value === undefined) return html`<span class="hint">missing</span>`;
  const said = SENTENCES.includes(field) ? maskPhones(value) : value;
  const shown = field === "phone" ? phoneText(value, country) : said;
  return shown !== undefined && shown.length > 200 ? `${shown.slice(0, 200)}…` : shown;
};

/** Two versions beside each other. On a narrow screen, each field has its two values below it. */
const comparisonView = ({ first, rows }: Comparison, country: CountryCode | undefined): Html =>
  html`<h3>The two versions</h3><table class="compare"><thead><tr><th scope="col">Field</th><th scope="col">${first}</th><th scope="col">Second version</th></tr></thead><tbody>${rows.map((one) => html`<tr${one.differs && html` class="differs"`}><th scope="row">${one.field}${one.differs && html` <span class="badge bad">differs</span>`}</th><td>${cell(one.field, one.first, country)}</td><td>${cell(one.field, one.second, country)}</td></tr>`)}</tbody></table>`;

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function bodyView(body: string, download: string): Html {
  const isCut = body.length > SHOWN_CHARACTERS;
  const shown = isCut ? body.slice(0, SHOWN_CHARACTERS) : indented(body);
  return html`<details><summary>The whole event</summary><pre tabindex="0">${shown}</pre></details><p>${isCut && html`The first ${SHOWN_CHARACTERS.toLocaleString("en")} of ${body.length.toLocaleString("en")} characters are shown. `}<a href="${download}">Download the whole event</a></p>`;
}

/** Where a person comes from: the search, or else what lies above the page. */
export const backLink = (from: string | undefined, other: Html): Html =>
  from === undefined ? other : html`<p><a href="${link({ q: from })}">← Back to the search</a></p>`;

export const panel = (title: Part, content: Part, back?: Html): Html =>
  html`<section class="card item" id="item" aria-labelledby="item-title">${back}<h2 id="item-title">${title}</h2>${content}</section>`;

/** What the page of an item needs. */
export interface ItemContext {
  readonly sources: Sources;
  readonly time: WriteTime;
  readonly now: number;
  readonly hasActions: boolean;
  /** Whether the person may read whole phone numbers. */
  readonly mayReadPhones: boolean;
}

/** What waits, with everything that is known of it. */
export async function itemView(context: ItemContext, asked: Asked): Promise<Html> {
  const { sources, time, now, hasActions } = context;
  const { list: name = "", item: id = "" } = asked;
  const list = LISTS[name] as QueueList;
  const above = link({ ...asked, item: undefined, do: undefined });
  const back = backLink(
    asked.from,
    html`<p class="back"><a href="${above}">← Back to the list</a></p>`,
  );
  let entry: Entry;
  try {
    const [found] = await withOrders(sources, [await list.find(sources, id)]);
    entry = found as Entry;
  } catch (error) {
    return panel("It does not wait any more", endView(error, time), back);
  }
  const order = entry.orderId && (await sources.checkout?.inspect(entry.orderId));
  const { orderId, known, cause, at, about, notes = [] } = entry;
  const body = await entry.readBody?.().catch(() => undefined);
  const references = known?.references ?? [];
  const [story, comparison] = await Promise.all([
    storyOf(sources, {
      orderId,
      references,
      since: orderId === undefined && about !== undefined ? at : undefined,
    }),
    name === "conflicts" && body !== undefined ? comparisonOf(sources, entry, body) : undefined,
  ]);
  const content = html`<p class="cause">${unbroken(cause)}</p><p class="todo"><strong>${unbroken(entry.todo ?? list.todo)}</strong></p><p class="hint">Since ${time(at)}, ${ageText(at, now)}.</p>${hasActions && choicesView(entry.choices, asked, 1, { list: name, id })}${comparison && comparisonView(comparison, countryOf(sources))}${paymentsView(story.payments, phonesOf(context, asked), { meant: orderId && about?.at(-1), refunds: order ? order.refunds : [], time })}${notes.length > 0 && html`<ul class="hint">${notes.map((one) => html`<li>${one}</li>`)}</ul>`}${storyView(story, time)}${body !== undefined && bodyView(body, link({ list: name, item: id, download: "1" }))}`;
  return panel(headline(entry), content, back);
}

/** Why a case does not wait any more. */
function endView(error: unknown, time: WriteTime): Html {
  const at = error instanceof ReviewDecidedError ? error.decidedAt?.getTime() : undefined;
  return html`<p>${staffMessage(error)}${at !== undefined && html` ${time(at)}`}</p>`;
}

/** The raw body of an event. */
export const bodyOf = async (sources: Sources, { list = "", item = "" }: Asked) =>
  (await LISTS[list]?.find(sources, item))?.readBody?.();
