import { type Html, html, type Part } from "../../html/html.ts";
import { type IconName, icon } from "../../html/icons.ts";
import { withCommas } from "../books/day-summary.ts";
import { exampleFor, type PhoneProblem } from "../orders/customer-phone.ts";
import { isNothing } from "../rules/amounts.ts";
import { filled, type Message, messageOf } from "../rules/customer-messages.ts";
import {
  askedBy,
  countedMoney,
  countedSum,
  holdsMoney,
  isFull,
  isOpen,
  isUnclear,
  isUsedUp,
  type Money,
  type OrderState,
} from "../rules/order-state.ts";
import type { CustomerOrder } from "../rules/order-types.ts";
import { attemptMessage, isLate, isToPayBack } from "../rules/view.ts";
import type { PageSettings } from "./page-options.ts";
import type { PayPageTexts, ShownTexts } from "./page-texts.ts";

/** What a page is made of. */
export interface View {
  readonly title: string;
  readonly main: Html;
  /** Whether something is under way, so that the page goes on by itself. */
  readonly isPending: boolean;
}

/** What the texts of one request are filled with. */
export interface Words {
  readonly settings: PageSettings;
  readonly lang: string;
  readonly texts: ShownTexts;
}

/** What a customer has sent, if it could not be used. */
export interface Rejected {
  readonly phone: string;
  readonly problem: PhoneProblem;
}

/** What a page says of a number that cannot be asked. */
const PHONE_PROBLEMS = {
  invalid: "phoneInvalid",
  other_country: "phoneElsewhere",
} as const satisfies Readonly<Record<PhoneProblem, keyof PayPageTexts>>;

const timeIn = (ms: number, { settings }: Words, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: settings.timeZone, ...options }).format(ms);

/** A number that is broken into two lines is hard to compare. */
const inOneLine = (phone: string): string => phone.replaceAll(" ", "\u00a0");

const main = (
  { status, effect }: Pick<CustomerOrder, "effect"> & { readonly status: string },
  content: Part,
): Html =>
  html`<main class="card" data-status="${status}" data-goods="${effect}">${content}</main>`;

const heading = (name: IconName | undefined, tone: string, text: string): Html =>
  html`<h1 tabindex="-1">${name !== undefined && html`<span class="${tone}">${icon(name)}</span>`}${text}</h1>`;

/** A page without an order: a link that does not work, or a form that was not taken. */
export function noticeView(
  { settings, texts }: Words,
  title: "unknownTitle" | "tooManyTitle" | "crossSiteTitle" | "failedTitle",
  text: "unknown" | "tooMany" | "failed" | "unsure" | "crossSite",
): View {
  const values = { merchant: settings.merchant.name };
  const heard = filled(texts[title], values);
  const content = html`${heading("warning", "waiting", heard)}<p>${filled(texts[text], values)}</p>`;
  return {
    title: heard,
    main: main({ status: "notice", effect: "none" }, content),
    isPending: false,
  };
}

type Fill = (text: string, more?: Readonly<Record<string, string>>) => string;

/** An order, and the parts that its pages share. */
interface Shown {
  readonly words: Words;
  readonly order: OrderState;
  readonly view: CustomerOrder;
  readonly now: number;
  readonly rejected: Rejected | undefined;
  /** Fills the amount and the names into a text. */
  readonly fill: Fill;
  /** What is paid for. */
  readonly about: Part;
  /** The amount of the order, and what is paid for. */
  readonly sum: Html;
  /** The link to the shop. */
  readonly back: Part;
}

/** The heading of a page with its icon, and what is below it. */
type Page = readonly [
  title: string,
  name: IconName | undefined,
  tone: "good" | "bad" | "waiting" | "",
  content: Html,
];

/** What a customer is asked for: the rest of the amount, or what the prompt on his phone says. */
function amountShown(order: OrderState, { status, amount, due }: CustomerOrder): string {
  const asked = order.attempts.findLast(isOpen);
  if (status === "pending" && asked !== undefined) return askedBy(order, asked);
  return status === "open" ? due : amount;
}

/** Shows an order to its customer. */
export function orderPage(
  words: Words,
  order: OrderState,
  view: CustomerOrder,
  now: number,
  {
    rejected,
    returnUrl,
  }: { readonly rejected?: Rejected | undefined; readonly returnUrl?: string | undefined } = {},
): View {
  const { settings, texts } = words;
  const amount = withCommas({ ...view, amount: amountShown(order, view) });
  const { wallet, merchant } = settings;
  const example = exampleFor(settings.asked);
  const values = { amount, merchant: merchant.name, wallet, example };
  const fill: Fill = (text, more) => filled(text, { ...values, ...more });
  const about = order.description !== undefined && html`<p>${order.description}</p>`;
  const received = countedSum(order);
  const isInParts = !isNothing(received) && view.status === "open";
  const part = { received: withCommas({ ...view, amount: received }), total: withCommas(view) };
  const rest = isInParts && html`<p class="notice waiting">${fill(texts.partReceived, part)}</p>`;
  const sum = html`<p class="sum">${amount}</p>${about}${rest}`;
  const back =
    returnUrl !== undefined && html`<p><a href="${returnUrl}">${fill(texts.goBack)}</a></p>`;
  const shown = {
    words,
    order,
    view,
    now,
    rejected,
    fill,
    about: html`${about}${rest}`,
    sum,
    back,
  };
  const [title, name, tone, content] = pageOf(shown);
  return {
    title: title.includes(merchant.name) ? title : `${title} · ${merchant.name}`,
    main: main(view, html`${heading(name, tone, title)}${content}`),
    isPending: view.status === "pending",
  };
}

/** The page of an order, by what has become of it. */
function pageOf(shown: Shown): Page {
  const { words, order, view, fill, sum, back } = shown;
  const { texts } = words;
  if (view.effect === "refunded") {
    return [texts.paidBackTitle, "cross", "bad", html`${sum}<p>${texts.paidBack}</p>${back}`];
  }
  if (view.effect === "refused") {
    return [texts.refusedTitle, "cross", "bad", html`${sum}<p>${texts.refused}</p>${back}`];
  }
  if (view.status === "paid") {
    return [texts.paidTitle, "check", "good", html`${receipt(shown)}${back}`];
  }
  if (order.attempts.some(isOpen) && view.status === "pending") return pendingPage(shown);
  // Also of an order that is over: its customer has paid, and must not read that nothing is to be paid.
  if (isToPayBack(order)) {
    return [texts.refusedTitle, "cross", "bad", html`${sum}<p>${texts.payingBack}</p>${back}`];
  }
  if (isLate(order) || holdsMoney(order)) {
    return [texts.checkingTitle, "clock", "waiting", html`${sum}<p>${texts.held}</p>${back}`];
  }
  if (view.status === "canceled") {
    const asked = order.attempts.some(isOpen) && html`<p>${texts.stillAsked}</p>`;
    const [title, text] =
      view.cancelReason === "paid_elsewhere"
        ? [texts.elsewhereTitle, texts.elsewhere]
        : [texts.canceledTitle, texts.canceled];
    return [title, "cross", "bad", html`<p>${text}</p>${asked}${back}`];
  }
  if (view.status === "expired") {
    return [texts.expiredTitle, "clock", "waiting", html`<p>${fill(texts.expired)}</p>${back}`];
  }
  if (isUsedUp(order)) {
    // Why the last attempt failed may end with "try again", which is not possible.
    const why = isFull(order) ? fill(texts.tooManyAttempts) : texts.usedUp;
    return [texts.notPaidTitle, "cross", "bad", html`${sum}<p>${why}</p>${back}`];
  }
  return unpaidPage(shown);
}

/** The page of an order that may be paid: it asks for a number, unless the shop must correct something. */
function unpaidPage(shown: Shown): Page {
  const { words, order, view, now, fill, about, sum } = shown;
  const { texts } = words;
  const reason = reasonOf(words, order, now);
  if (reason === undefined) {
    return [fill(texts.payTitle), undefined, "", html`${about}${payForm(shown, false)}`];
  }
  const isBusy = (order.blocked?.until ?? 0) > now;
  const canPay = view.canPay || isBusy;
  const rest = canPay
    ? html`<p>${!isBusy && mayBePhone(order) && texts.notCharged}</p>${payForm(shown, true)}`
    : html`<p>${texts.cannotPay}</p>`;
  return [texts.notPaidTitle, "cross", "bad", html`${sum}${reason}${rest}`];
}

/** Whether another number may help: not if the amount or the shop was rejected. */
const mayBePhone = ({ attempts }: OrderState): boolean => {
  const { about = "phone" } = attempts.at(-1) ?? {};
  return about === "phone";
};

/** Why the order is not paid, in the customer's words; `undefined` if he was not asked yet. */
function reasonOf(words: Words, order: OrderState, now: number): Html | undefined {
  const { texts } = words;
  const until = order.blocked?.until ?? 0;
  if (until > now) {
    const time = timeIn(until + 59_999, words, { hour: "2-digit", minute: "2-digit" });
    return html`<p class="notice waiting" role="status">${filled(texts.busy, { time })}</p>`;
  }
  const last = order.attempts.at(-1);
  if (last === undefined) return undefined;
  const isUnchecked = order.blocked?.messageCode === "last_payment_unchecked";
  const said = (isUnchecked && order.blocked) || attemptMessage(last);
  const text = reasonText(words, said ?? messageOf("payment_failed"));
  return html`<p class="notice bad" role="status">${text}</p>`;
}

/** A reason in the language of the page. What has no words in it is shown as the order has it: in English. */
function reasonText({ lang, texts }: Words, { message, messageCode }: Message): Part {
  const known: Readonly<Record<string, string>> = texts.reasons;
  // Another version may have written a code that this one does not know.
  const own = Object.hasOwn(known, messageCode ?? "") ? known[messageCode ?? ""] : undefined;
  if (own !== undefined) return own;
  return lang === "en" ? message : html`<span lang="en">${message}</span>`;
}

function pendingPage({ words, order, fill, sum, now }: Shown): Page {
  const { texts } = words;
  const open = order.attempts.filter(isOpen);
  const isUnknown = open.some((one) => isUnclear(one, now));
  const { phone = "" } = open.at(-1) ?? {};
  const live = html`<p class="hint">${texts.updates} <a class="check" href="">${texts.checkNow}</a></p>`;
  return isUnknown
    ? [
        texts.checkingTitle,
        "clock",
        "waiting",
        html`${sum}<p>${texts.checking}</p><p>${texts.notYours}</p>${live}`,
      ]
    : [
        texts.askedTitle,
        "phone",
        "waiting",
        html`<p>${fill(texts.asked, { phone: inOneLine(phone) })}</p><p>${texts.nothingRings}</p><p>${texts.notYours}</p>${live}`,
      ];
}

function payForm({ words, order, fill, rejected }: Shown, again: boolean): Html {
  const { texts, lang } = words;
  const error =
    rejected !== undefined &&
    html`<p class="bad" id="phone-error">${fill(texts[PHONE_PROBLEMS[rejected.problem]])}</p>`;
  const about = rejected === undefined ? "phone-hint" : "phone-error phone-hint";
  return html`<form method="post">
<input type="hidden" name="after" value="${order.attempts.length}"><input type="hidden" name="lang" value="${lang}">
<label for="phone">${fill(texts.phone)}</label>${error}
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="40" aria-describedby="${about}" value="${rejected?.phone ?? ""}"${rejected !== undefined && html` aria-invalid="true" autofocus`}>
<p class="hint" id="phone-hint">${fill(texts.phoneHint)}</p>
<button>${again ? texts.payAgain : fill(texts.pay)}</button>
</form>
<p class="hint">${texts.afterButton}</p>`;
}

/** What a customer finds a payment by. */
const partName = ({ reference, transactionId = reference }: Money): string => transactionId;

function receipt({ words, order, view, about }: Shown): Html {
  const { texts } = words;
  const attempt = order.attempts.find(({ reference }) => reference === order.paidBy);
  const paidAt = order.paidAt ?? attempt?.askedAt;
  const money = order.money.find(({ reference }) => reference === order.paidBy);
  const parts = countedMoney(order);
  const isInParts = parts.length > 1;
  // A person may have accepted another amount: a receipt names what came.
  const came = isInParts ? countedSum(order) : money?.amount;
  const sum = withCommas(came ? { ...view, amount: came } : view);
  const { wallet } = words.settings;
  const rows: (readonly [string, string | undefined])[] = [
    [texts.order, view.accountReference],
    ...(isInParts
      ? parts.map((one) => [partName(one), withCommas(one)] as const)
      : ([
          [filled(texts.transactionId, { wallet }), money?.transactionId],
          [texts.payment, order.paidBy?.startsWith("#") ? undefined : order.paidBy],
        ] as const)),
    [texts.paidBy, attempt?.phone],
    [
      texts.paidAt,
      paidAt === undefined
        ? undefined
        : timeIn(paidAt, words, { dateStyle: "medium", timeStyle: "short" }),
    ],
  ];
  return html`<p class="sum">${sum}</p>${about}<dl aria-label="${texts.receipt}">${rows.map(([name, value]) => value !== undefined && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><button class="quiet" type="button" data-print hidden>${texts.print}</button>`;
}
