import { countryByPrefix } from "../../../contract/countries.ts";
import { type Html, html } from "../../../html/html.ts";
import { icon } from "../../../html/icons.ts";
import { wholeExample } from "../../../phones/phone-number.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import { formatAmount, localFormat, mobileNumber, networkOf } from "../../state/notation.ts";
import type { AutoAnswer } from "../../state/sandbox-records.ts";
import { MERCHANT, newPhone } from "../../state/state.ts";
import type { StoredPayment, StoredPhone } from "../../state/stored.ts";
import { button, folded, form, inlineForm, input, select, terms } from "../components.ts";
import { clipped, dateOf, money, timeOf } from "../page-format.ts";
import { linkTo, type PageContext } from "../page-view.ts";

/** A phone as the page draws it. */
interface Handset {
  readonly number: string;
  readonly stored: StoredPhone;
  /** The payment whose prompt is open. */
  readonly prompt: StoredPayment | undefined;
  /** Its last payments with a final status, newest first. */
  readonly final: readonly StoredPayment[];
}

const { value: LIFETIME_MS } = ASSUMPTIONS.promptLifetime;

/** The seconds that a prompt has left: a ring that empties, and a number. */
function countdown(context: PageContext, payment: StoredPayment): Html {
  const left = Math.max(
    0,
    payment.createdAt + LIFETIME_MS - context.server.sandboxState.clock.ms(),
  );
  const share = Math.round((left / LIFETIME_MS) * 100);
  // In real time, the script counts on from here.
  const running = context.server.clock === "real";
  return html`<span class="countdown" role="timer" aria-label="Time left"${running && html` data-left="${left}" data-life="${LIFETIME_MS}"`}><svg viewBox="0 0 36 36" aria-hidden="true"><circle cx="18" cy="18" r="15"/><circle class="left" cx="18" cy="18" r="15" pathLength="100" stroke-dasharray="${share} 100"/></svg><b data-seconds>${Math.ceil(left / 1_000)} s</b></span>`;
}

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "back"];

const pad = html`<div class="pad" role="group" aria-label="PIN pad">${KEYS.map((key) =>
  key === ""
    ? html`<span></span>`
    : html`<button type="button" data-key="${key}"${key === "back" && html` aria-label="Delete the last digit"`}>${key === "back" ? icon("back") : key}</button>`,
)}</div>`;

function dialog(context: PageContext, number: string, payment: StoredPayment): Html {
  const { reference, account_reference, description, cents, currency } = payment;
  const place = { context, at: "phone", hidden: { number, reference } };
  return html`<div class="dialog stack" role="group" aria-labelledby="prompt-title" id="prompt-${reference}">
<div class="line between"><h3 id="prompt-title">Payment request</h3>${countdown(context, payment)}</div>
<p class="ask"><span class="amount">${money(cents, currency)}</span> to <strong>${MERCHANT.name}</strong></p>
${terms("ask-about", [
  ["Account", account_reference || "none given"],
  ["For", clipped(description, 70)],
])}
${form(
  { action: "phone/pin", ...place, name: "pin stack", label: "Enter the PIN" },
  html`<label for="pin-${reference}">PIN</label><input class="pin-field" id="pin-${reference}" name="pin" inputmode="numeric" pattern="[0-9]{4}" maxlength="4" required autocomplete="off" aria-describedby="pin-hint">
<p class="hint" id="pin-hint">Any four digits pay.</p>${pad}
<div class="answers"><button class="primary">Send</button><button class="quiet" formaction="/_sandbox/phone/cancel" formnovalidate>Cancel</button></div>`,
)}
</div>`;
}

function message(payment: StoredPayment): Html {
  const { status, cents, currency, account_reference, failure, transaction_id, finalAt } = payment;
  const label = account_reference === "" ? "" : ` for ${account_reference}`;
  const isPaid = status === "completed";
  const text = isPaid
    ? `${money(cents, currency)} paid to ${MERCHANT.name}${label}. Receipt ${transaction_id}.`
    : `${money(cents, currency)}${label}: ${failure?.userMessage}`;
  return html`<li id="message-${payment.reference}" class="message notice"><span class="${isPaid ? "good" : "bad"}">${icon(isPaid ? "check" : "cross")}</span><p>${text}<time>${finalAt === undefined ? "" : timeOf(finalAt)}</time></p></li>`;
}

function screen(context: PageContext, { number, stored, prompt, final }: Handset): Html {
  const now = context.server.sandboxState.clock.ms();
  if (!stored.on) {
    return html`<div class="screen off"><p>${icon("power")}Switched off</p></div>`;
  }
  const open = prompt !== undefined && prompt.ignored !== true;
  return html`<div class="screen${open && " ringing"}">
<div class="home"><p class="big-clock" aria-hidden="true" data-clock="short">${timeOf(now).slice(0, 5)}</p><p class="big-date" aria-hidden="true">${dateOf(now).replace(/ \d{4}$/, "")}, ${networkOf(number) ?? "no network"}</p>
${final.length > 0 && html`<ul class="messages stack" aria-label="Messages on ${localFormat(number)}">${final.map(message)}</ul>`}
${final.length === 0 && !open && html`<p class="notice">No prompt.<br>A payment to <span class="nowrap">${localFormat(number)}</span> rings here.</p>`}
${prompt?.ignored === true && html`<p class="notice">Ignored.<br>The prompt expires in ${countdown(context, prompt)}</p>`}
</div>
${open && dialog(context, number, prompt)}
</div>`;
}

/** The number of the examples, so that the first payment rings on the phone that is shown. */
const firstNumber = ({ server: { country } }: PageContext): string =>
  wholeExample(country).slice(1);
const MAX_TABS = 5;
const MAX_MESSAGES = 3;
/** Phones and messages come from the latest payments only: there may be thousands. */
const MAX_RECENT_PAYMENTS = 2_000;

/** Phones with an open prompt, the one that has waited longest first. */
export const ringingOf = ({ state }: PageContext): string[] =>
  state.payments
    .filter(({ status, ignored }) => status === "pending" && ignored !== true)
    .map(({ phone }) => phone)
    .filter((phone) => state.phones[phone]?.on);

const recentPayments = ({ state }: PageContext) => state.payments.slice(-MAX_RECENT_PAYMENTS);

/** The phone that is shown, and all that have a tab. */
function numbersOf(context: PageContext): [chosen: string, all: string[]] {
  const waiting = ringingOf(context);
  const others = recentPayments(context)
    .map(({ phone }) => phone)
    .reverse();
  // A ringing phone stays until it is answered: a newer prompt must not interrupt who is typing.
  const first = firstNumber(context);
  const initial = waiting[0] ?? others[0] ?? first;
  const chosen = mobileNumber(context.view.phone, context.server.country) ?? initial;
  const all = [...new Set([chosen, ...waiting, ...others, first])].slice(0, MAX_TABS);
  // Sorted, so that tabs do not move when a phone rings.
  return [chosen, all.sort()];
}

const finalPaymentsOf = (context: PageContext, number: string): StoredPayment[] =>
  recentPayments(context)
    .filter(({ phone, status }) => phone === number && status !== "pending")
    .sort((one, other) => (other.finalAt ?? 0) - (one.finalAt ?? 0))
    .slice(0, MAX_MESSAGES);

const AUTO_ANSWERS: Readonly<Record<AutoAnswer | "", string>> = {
  "": "does what the sandbox was started with",
  ask: "waits for me",
  approve: "pays",
  cancel: "cancels",
  wrongPin: "enters a wrong PIN",
  ignore: "ignores it",
};

function tabs(context: PageContext, chosen: string, all: readonly string[]): Html {
  const waiting = new Set(ringingOf(context));
  return html`<nav class="phones tabs" aria-label="Phones">${all.map(
    (number) =>
      html`<a id="tab-${number}" href="${linkTo(context.view, { phone: number }, "phone")}"${number === chosen && html` aria-current="true"`}>${localFormat(number)}${waiting.has(number) && html` <span class="waiting" aria-hidden="true">●</span><span class="unseen">, ringing</span>`}</a>`,
  )}</nav>`;
}

function controls(context: PageContext, { number, stored, prompt }: Handset): Html {
  const hidden = { number };
  const open = prompt !== undefined && prompt.ignored !== true && stored.on;
  const act = (action: "wrong-pin" | "ignore" | "off" | "on", text: string, enabled = true) =>
    button(context, "phone", `phone/${action}`, text, {
      hidden,
      name: "",
      attributes: !enabled && html` disabled`,
    });
  const { balanceCents, autoAnswer: chosen } = stored;
  const currency = countryByPrefix(number)?.currency ?? "";
  const amount = formatAmount(balanceCents);
  const answers = Object.entries(AUTO_ANSWERS).filter(
    ([answer]) => answer !== "" || chosen === undefined,
  );
  const balance = { context, action: "phone/balance", at: "phone", hidden } as const;
  const answer = { ...balance, action: "phone/always" } as const;
  return html`<div class="acts line" role="group" aria-label="What else the customer can do">${act("wrong-pin", "Wrong PIN", open)}${act("ignore", "Ignore", open)}${stored.on ? act("off", "Switch off") : act("on", "Switch on")}</div>
${folded("phone-more", html`Balance, auto-answer<small>${money(balanceCents, currency)}</small>`, [
  inlineForm(
    balance,
    input(balance, "balance", `Balance, ${currency}`, html` inputmode="decimal"`, amount),
    "Set",
  ),
  inlineForm(
    answer,
    select(answer, "answer", "When it rings, this customer", answers, chosen),
    "Set",
  ),
  html`<form class="inline line" method="get" action="/"><label>Another phone<input name="phone" inputmode="tel" placeholder="0733 000 000" required autocomplete="off"></label><button>Show</button></form>`,
])}`;
}

/** The customer's side: a phone to tap. */
export function phonePane(context: PageContext): Html {
  const [number, all] = numbersOf(context);
  const stored = context.state.phones[number] ?? newPhone();
  const prompt = context.server.sandboxState.payments.get(stored.prompt ?? "");
  const handset = { number, stored, prompt, final: finalPaymentsOf(context, number) };
  return html`<section class="phone-pane stack" id="phone" aria-labelledby="phone-title">
<h2 id="phone-title" class="unseen" tabindex="-1">The customer’s phone, ${localFormat(number)}</h2>
${tabs(context, number, all)}
<div class="device" id="device-${number}">${screen(context, handset)}</div>
${controls(context, handset)}
</section>`;
}
