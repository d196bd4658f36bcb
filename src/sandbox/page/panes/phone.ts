import { kenyanMobile, localFormat } from "../../payments/phone-number.ts";
import { formatAmount } from "../../state/money.ts";
import type { AutoAnswer } from "../../state/records.ts";
import { newPhone } from "../../state/state.ts";
import type { StoredPayment } from "../../state/stored.ts";
import { folded, form, options } from "../components.ts";
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
export function ringingOf({ server }: PageContext): string[] {
  const { phones } = server.sandboxState.state;
  const since = (prompt = "") => server.sandboxState.payments.get(prompt)?.createdAt ?? 0;
  return Object.entries(phones)
    .filter(([, { prompt, on }]) => prompt !== undefined && on)
    .filter(([, { prompt = "" }]) => server.sandboxState.payments.get(prompt)?.ignored !== true)
    .sort(([, one], [, other]) => since(one.prompt) - since(other.prompt))
    .map(([number]) => number);
}

function recentNumbers({ server }: PageContext): string[] {
  return server.sandboxState.state.payments
    .slice(-MAX_RECENT_PAYMENTS)
    .map(({ phone }) => phone)
    .reverse();
}

/** The phone that is shown, and all that have a tab. */
function numbersOf(context: PageContext): [chosen: string, all: string[]] {
  const waiting = ringingOf(context);
  const others = recentNumbers(context);
  // A ringing phone stays until it is answered: a newer prompt must not interrupt who is typing.
  const initial = waiting[0] ?? others[0] ?? FIRST_NUMBER;
  const chosen = kenyanMobile(context.view.phone) ?? initial;
  const all = [...new Set([chosen, ...waiting, ...others, FIRST_NUMBER])].slice(0, MAX_TABS);
  // Sorted, so that tabs do not move when a phone rings.
  return [chosen, all.sort()];
}

function finalPaymentsOf({ server }: PageContext, number: string): StoredPayment[] {
  return server.sandboxState.state.payments
    .slice(-MAX_RECENT_PAYMENTS)
    .filter(({ phone, status }) => phone === number && status !== "pending")
    .sort((one, other) => (other.finalAt ?? 0) - (one.finalAt ?? 0))
    .slice(0, MAX_MESSAGES);
}

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
  const place = { context, at: "phone", hidden: { number } };
  const open = prompt !== undefined && prompt.ignored !== true && stored.on;
  const act = (action: "wrong-pin" | "ignore" | "off" | "on", text: string, enabled: boolean) =>
    form(
      { action: `phone/${action}`, ...place },
      html`<button${!enabled && html` disabled`}>${text}</button>`,
    );
  const answers = Object.entries(AUTO_ANSWERS).filter(
    ([answer]) => answer !== "" || stored.autoAnswer === undefined,
  );
  return html`<div class="acts" role="group" aria-label="What else the customer can do">${act("wrong-pin", "Wrong PIN", open)}${act("ignore", "Ignore", open)}${stored.on ? act("off", "Switch off", true) : act("on", "Switch on", true)}</div>
${folded(
  "phone-more",
  html`Balance, auto-answer<small>${money(stored.balanceCents)}</small>`,
  html`${form(
    { action: "phone/balance", ...place, name: "inline", showsError: true },
    html`<label>Balance, KES<input name="balance" inputmode="decimal" value="${formatAmount(stored.balanceCents)}" autocomplete="off"></label><button>Set</button>`,
  )}
${form(
  { action: "phone/always", ...place, name: "inline" },
  html`<label>When it rings, this customer<select name="answer">${options(answers, stored.autoAnswer ?? "")}</select></label><button>Set</button>`,
)}
<form class="inline" method="get" action="/"><label>Another phone<input name="phone" inputmode="tel" placeholder="0733 000 000" required autocomplete="off"></label><button>Show</button></form>`,
)}`;
}

/** The customer's side: a phone to tap. */
export function phonePane(context: PageContext): Html {
  const [number, all] = numbersOf(context);
  const { state, payments } = context.server.sandboxState;
  const stored = state.phones[number] ?? newPhone();
  const prompt = payments.get(stored.prompt ?? "");
  const handset = { number, stored, prompt, final: finalPaymentsOf(context, number) };
  return html`<section class="phone-pane" id="phone" aria-labelledby="phone-title">
<h2 id="phone-title" class="unseen" tabindex="-1">The customer’s phone, ${localFormat(number)}</h2>
${tabs(context, number, all)}
${device(context, handset)}
${controls(context, handset)}
</section>`;
}
