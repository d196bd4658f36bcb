import { type Html, html, type Part } from "../../html/html.ts";
import { type IconName, icon } from "../../html/icons.ts";
import { exampleFor, type PhoneProblem } from "../orders/customer-phone.ts";
import { isNothing } from "../rules/amounts.ts";
import { filled, type Message, messageOf } from "../rules/customer-messages.ts";
import {
  askedBy,
  countedSum,
  holdsMoney,
  isOpen,
  isUnclear,
  isUsedUp,
  type OrderState,
  openReviews,
} from "../rules/order-state.ts";
import type { CustomerOrder } from "../rules/order-types.ts";
import { leftOf, refundsOf } from "../rules/refunds.ts";
import { attemptMessage, isLate, isToPayBack } from "../rules/view.ts";
import type { PayPageTexts } from "./languages/texts.ts";
import { paidAmount, receipts } from "./receipts.ts";
import { hourText, moneyText, type Words } from "./words.ts";

/** What a page is made of. */
export interface View {
  readonly title: string;
  readonly main: Html;
  /** Whether something is under way, so that the page goes on by itself. */
  readonly isPending: boolean;
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

/** A number that is broken into two lines is hard to compare. */
const inOneLine = (phone: string): string => phone.replaceAll(" ", "\u00a0");

const main = (
  { status, effect }: Pick<CustomerOrder, "effect"> & { readonly status: string },
  content: Part,
): Html =>
  html`<main class="card${status === "notice" && " alone"}" data-status="${status}" data-goods="${effect}">${content}</main>`;

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
  /** The amount of the page, as it is written. */
  readonly amount: string;
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

/** What a customer is asked for: the rest of the amount, what the prompt on his phone says, or what he has paid. */
function amountShown(order: OrderState, { status, amount, due }: CustomerOrder): string {
  const asked = order.attempts.findLast(isOpen);
  if (status === "pending" && asked !== undefined) return askedBy(order, asked);
  if (status === "paid") return paidAmount(order);
  return status === "open" ? due : amount;
}

/** What is paid for: it stands in the same place on every page of the order. */
function summary({ words, order, view, amount, fill }: Shown): Html {
  const { texts } = words;
  const received = countedSum(order);
  const isInParts = !isNothing(received) && (view.status === "open" || view.status === "pending");
  const part = {
    received: moneyText(words, { ...view, amount: received }),
    total: moneyText(words, view),
  };
  const isOver = view.status === "canceled" || view.status === "expired";
  return html`<div class="order"><p class="sum${isOver && " over"}">${amount}</p>${order.description !== undefined && html`<p>${order.description}</p>`}<p class="hint">${texts.order} <span class="number">${view.id}</span></p>${isInParts && html`<p class="notice waiting">${fill(texts.partReceived, part)}</p>`}</div>`;
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
  const amount = moneyText(words, { ...view, amount: amountShown(order, view) });
  const { wallet, merchant } = settings;
  const example = inOneLine(exampleFor(settings.asked));
  const values = { amount, merchant: merchant.name, wallet, example };
  const fill: Fill = (text, more) => filled(text, { ...values, ...more });
  const back =
    returnUrl !== undefined && html`<p><a href="${returnUrl}">${fill(texts.goBack)}</a></p>`;
  const shown: Shown = { words, order, view, now, rejected, fill, amount, back };
  const [title, name, tone, content] = pageOf(shown);
  const heard = title === fill(texts.payHeading) ? fill(texts.payTitle) : title;
  return {
    title: heard.includes(merchant.name) ? heard : `${heard} · ${merchant.name}`,
    main: main(
      view,
      html`${summary(shown)}<div class="state">${heading(name, tone, title)}${content}</div>`,
    ),
    isPending: view.status === "pending",
  };
}

/** The page of an order, by what has become of it. */
function pageOf(shown: Shown): Page {
  const { words, order, view, fill, back } = shown;
  const { texts } = words;
  const money = receipts(words, order, false);
  if (view.effect === "refunded") {
    return [texts.paidBackTitle, "check", "good", html`<p>${texts.paidBack}</p>${money}${back}`];
  }
  if (view.effect === "refused") {
    return [texts.refusedTitle, "clock", "waiting", html`<p>${texts.refused}</p>${money}${back}`];
  }
  if (view.status === "paid") {
    const more =
      openReviews(order).some(({ kind }) => kind === "overpaid") &&
      html`<p class="notice waiting">${texts.paidMore}</p>`;
    const all = receipts(words, order, true);
    return [texts.paidTitle, "check", "good", html`${more}${all}${back}`];
  }
  if (order.attempts.some(isOpen) && view.status === "pending") return pendingPage(shown);
  // Also of an order that is over: its customer has paid, and must not read that nothing is to be paid.
  if (isToPayBack(order)) {
    const why = html`<p>${texts[payingBackText(order)]}</p>`;
    return [texts.refusedTitle, "clock", "waiting", html`${why}${money}${back}`];
  }
  if (isLate(order) || holdsMoney(order)) {
    return [texts.checkingTitle, "clock", "waiting", html`<p>${texts.held}</p>${money}${back}`];
  }
  const isPaidBack = refundsOf(order).length > 0 && isNothing(leftOf(order, order.currency));
  const returned = isPaidBack && html`<p>${texts.paidBack}</p>`;
  if (view.status === "canceled") {
    const asked = order.attempts.some(isOpen) && html`<p>${texts.stillAsked}</p>`;
    const content = (text: string) => html`<p>${text}</p>${returned}${asked}${money}${back}`;
    return view.cancelReason === "paid_elsewhere"
      ? [texts.elsewhereTitle, "check", "good", content(texts.elsewhere)]
      : [texts.canceledTitle, "cross", "", content(texts.canceled)];
  }
  if (view.status === "expired") {
    const content = html`<p>${fill(texts.expired)}</p>${returned}${money}${back}`;
    return [texts.expiredTitle, "clock", "", content];
  }
  if (isUsedUp(order)) {
    // Why the last attempt failed may end with "try again", which is not possible.
    const why = html`<p>${fill(texts.tooManyAttempts)}</p>`;
    return [texts.notPaidTitle, "cross", "bad", html`${why}${money}${back}`];
  }
  return unpaidPage(shown);
}

/** Why money of an order that is over is paid back. */
const payingBackText = ({ closed, closedFor }: OrderState) =>
  closed === "expired"
    ? "payingBackExpired"
    : closedFor === "paid_elsewhere"
      ? "payingBackElsewhere"
      : "payingBackCanceled";

/** The page of an order that may be paid: it asks for a number, unless the shop must correct something. */
function unpaidPage(shown: Shown): Page {
  const { words, order, view, now, fill } = shown;
  const { texts } = words;
  const reason = reasonOf(words, order, now);
  if (reason === undefined) {
    return [fill(texts.payHeading), undefined, "", payForm(shown, false)];
  }
  const isBusy = (order.blocked?.until ?? 0) > now;
  const canPay = view.canPay || isBusy;
  const rest = canPay
    ? html`${!isBusy && mayBePhone(order) && html`<p>${texts.notCharged}</p>`}${payForm(shown, true)}`
    : html`<p>${texts.cannotPay}</p>`;
  return [texts.notPaidTitle, "cross", "bad", html`${reason}${rest}`];
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
    const time = hourText(until + 59_999, words);
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

function pendingPage(shown: Shown): Page {
  const { order, fill, now } = shown;
  const { texts } = shown.words;
  const open = order.attempts.filter(isOpen);
  const isUnknown = open.some((one) => isUnclear(one, now));
  const { phone = "" } = open.at(-1) ?? {};
  const live = html`<p class="hint">${texts.updates} <a class="check" href="">${texts.checkNow}</a></p>`;
  const picture = phonePicture(shown);
  return isUnknown
    ? [
        texts.checkingTitle,
        "clock",
        "waiting",
        html`<p>${texts.checking}</p>${picture}<p>${texts.notYours}</p>${live}`,
      ]
    : [
        texts.askedTitle,
        "phone",
        "waiting",
        html`<p>${fill(texts.asked, { phone: inOneLine(phone) })}</p>${picture}<p>${texts.nothingRings}</p><p>${texts.notYours}</p>${live}`,
      ];
}

/**
 * The request as it stands on the customer's phone, in the look of the sandbox's phone: he rejects what differs from
 * it.
 */
function phonePicture({ words, order, amount, fill }: Shown): Html {
  const { texts, settings } = words;
  const { name, promptName: payee = name } = settings.merchant;
  return html`<figure><figcaption>${texts.phoneAsks}</figcaption><div class="device"><div class="screen"><div class="dialog"><p class="ask"><b class="amount">${amount}</b> ${fill(texts.promptTo, { payee })}</p><p class="hint">${texts.account} <b>${order.accountReference}</b></p><p class="pin" aria-hidden="true">• • • •</p></div></div></div><p class="hint">${texts.onlyThis}</p></figure>`;
}

function payForm(shown: Shown, again: boolean): Html {
  const { order, fill, rejected } = shown;
  const { texts, lang } = shown.words;
  const error =
    rejected !== undefined &&
    html`<p class="bad" id="phone-error">${fill(texts[PHONE_PROBLEMS[rejected.problem]])}</p>`;
  const about = rejected === undefined ? "phone-hint" : "phone-error phone-hint";
  return html`<form method="post">
<input type="hidden" name="after" value="${order.attempts.length}"><input type="hidden" name="lang" value="${lang}">
<label for="phone">${fill(texts.phone)}</label>${error}
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="40" aria-describedby="${about}" value="${rejected?.phone ?? ""}"${rejected !== undefined && html` aria-invalid="true" autofocus`}>
<p class="hint" id="phone-hint">${fill(texts.phoneHint)}</p>
${phonePicture(shown)}
<button>${again ? texts.payAgain : fill(texts.pay)}</button>
</form>
<p class="hint">${texts.afterButton}</p>`;
}
