import { kenyanMobile, localFormat } from "../../payments/phone-number.ts";
import { formatAmount } from "../../state/money.ts";
import type { AutoAnswer } from "../../state/records.ts";
import { newPhone } from "../../state/state.ts";
import type { StoredPayment } from "../../state/stored.ts";
import { button, folded, form, input, select } from "../components.ts";
import { money } from "../format.ts";
import { type Html, html } from "../html.ts";
import { linkTo, type PageContext } from "../view.ts";
import { device, type Handset } from "./device.ts";

/** The number of the examples, so that the first payment rings on the phone that is shown. */
const FIRST_NUMBER = "254712345678";
const MAX_TABS = 5;
const MAX_MESSAGES = 3;
/** Phones and messages come from the latest payments only: there may be thousands. */
const MAX_RECENT_PAYMENTS = 2_000;

/** Phones with an open prompt, the one that has waited longest first. */
export function ringingOf({ server, state }: PageContext): string[] {
  const { payments } = server.sandboxState;
  const since = (prompt = "") => payments.get(prompt)?.createdAt ?? 0;
  return Object.entries(state.phones)
    .filter(([, { prompt, on }]) => prompt !== undefined && on)
    .filter(([, { prompt = "" }]) => payments.get(prompt)?.ignored !== true)
    .sort(([, one], [, other]) => since(one.prompt) - since(other.prompt))
    .map(([number]) => number);
}

const recentPayments = ({ state }: PageContext) => state.payments.slice(-MAX_RECENT_PAYMENTS);

/** The phone that is shown, and all that have a tab. */
function numbersOf(context: PageContext): [chosen: string, all: string[]] {
  const waiting = ringingOf(context);
  const others = recentPayments(context)
    .map(({ phone }) => phone)
    .reverse();
  // A ringing phone stays until it is answered: a newer prompt must not interrupt who is typing.
  const initial = waiting[0] ?? others[0] ?? FIRST_NUMBER;
  const chosen = kenyanMobile(context.view.phone) ?? initial;
  const all = [...new Set([chosen, ...waiting, ...others, FIRST_NUMBER])].slice(0, MAX_TABS);
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
  return html`<nav class="phones" aria-label="Phones">${all.map(
    (number) =>
      html`<a id="tab-${number}" href="${linkTo(context.view, { phone: number }, "phone")}"${number === chosen && html` aria-current="true"`}>${localFormat(number)}${waiting.has(number) && html`<span class="dot"><span class="unseen">, ringing</span></span>`}</a>`,
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
  const answers = Object.entries(AUTO_ANSWERS).filter(
    ([answer]) => answer !== "" || stored.autoAnswer === undefined,
  );
  const balance = { context, action: "phone/balance", at: "phone", hidden } as const;
  const answer = { ...balance, action: "phone/always" } as const;
  const set = html`<button>Set</button>`;
  return html`<div class="acts line" role="group" aria-label="What else the customer can do">${act("wrong-pin", "Wrong PIN", open)}${act("ignore", "Ignore", open)}${stored.on ? act("off", "Switch off") : act("on", "Switch on")}</div>
${folded("phone-more", html`Balance, auto-answer<small>${money(stored.balanceCents)}</small>`, [
  form(
    { ...balance, name: "inline", showsError: true },
    input(
      balance,
      "balance",
      "Balance, KES",
      html` inputmode="decimal"`,
      formatAmount(stored.balanceCents),
    ),
    set,
  ),
  form(
    { ...answer, name: "inline" },
    select(answer, "answer", "When it rings, this customer", answers, stored.autoAnswer),
    set,
  ),
  html`<form class="inline" method="get" action="/"><label>Another phone<input name="phone" inputmode="tel" placeholder="0733 000 000" required autocomplete="off"></label><button>Show</button></form>`,
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
${device(context, handset)}
${controls(context, handset)}
</section>`;
}
