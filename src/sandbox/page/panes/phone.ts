import { formatAmount } from "../../payments/money.ts";
import { kenyanMobile } from "../../payments/phone-number.ts";
import type { AutoAnswer, StoredPayment } from "../../state/records.ts";
import { newPhone } from "../../state/state.ts";
import { money, shortPhone } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Shown } from "../page.ts";
import { form } from "../pieces.ts";
import { linkTo } from "../view.ts";
import { device, type Handset } from "./device.ts";

/** The number that the examples use, so that the first payment rings on the phone that is shown. */
const FIRST_NUMBER = "254712345678";
const MOST_TABS = 5;
const MOST_MESSAGES = 3;
/** How far back phones and messages are looked for: a list of thousands is not read for a tab. */
const LOOK_BACK = 2_000;

/** Phones with an open prompt, the one that has waited longest first. */
export function ringingOf({ host }: Shown): string[] {
  const { phones } = host.world.state;
  const since = (prompt = "") => host.world.payments.get(prompt)?.createdAt ?? 0;
  return Object.entries(phones)
    .filter(([, { prompt, on }]) => prompt !== undefined && on)
    .filter(([, { prompt = "" }]) => host.world.payments.get(prompt)?.ignored !== true)
    .sort(([, one], [, other]) => since(one.prompt) - since(other.prompt))
    .map(([number]) => number);
}

function recent({ host }: Shown): string[] {
  return host.world.state.payments
    .slice(-LOOK_BACK)
    .map(({ phone }) => phone)
    .reverse();
}

/** The phone in hand, and the others within reach. */
function numbersOf(shown: Shown): [chosen: string, all: string[]] {
  const waiting = ringingOf(shown);
  const others = recent(shown);
  // One that waits stays until it is answered: typing must not be pulled away by a newer one.
  const standard = waiting[0] ?? others[0] ?? FIRST_NUMBER;
  const chosen = kenyanMobile(shown.view.phone) ?? standard;
  const all = [...new Set([chosen, ...waiting, ...others, FIRST_NUMBER])].slice(0, MOST_TABS);
  // In an order that does not change with what rings.
  return [chosen, all.sort()];
}

function settledOn({ host }: Shown, number: string): StoredPayment[] {
  return host.world.state.payments
    .slice(-LOOK_BACK)
    .filter(({ phone, status }) => phone === number && status !== "pending")
    .sort((one, other) => (other.finalAt ?? 0) - (one.finalAt ?? 0))
    .slice(0, MOST_MESSAGES);
}

const HABITS: Readonly<Record<AutoAnswer | "", string>> = {
  "": "as the sandbox was started",
  ask: "waits for me",
  approve: "pays",
  cancel: "cancels",
  wrongPin: "mistypes the PIN",
  ignore: "ignores it",
};

function tabs(shown: Shown, chosen: string, all: readonly string[]): Html {
  const waiting = new Set(ringingOf(shown));
  return html`<nav class="phones" aria-label="Phones">${all.map(
    (number) =>
      html`<a id="tab-${number}" href="${linkTo(shown.view, { phone: number }, "phone")}"${number === chosen && html` aria-current="true"`}>${shortPhone(number)}${waiting.has(number) && html`<span class="dot"><span class="unseen">, ringing</span></span>`}</a>`,
  )}</nav>`;
}

function controls({ view }: Shown, { number, stored, prompt }: Handset): Html {
  const place = { view, at: "phone" };
  const held = html`<input type="hidden" name="number" value="${number}">`;
  const open = prompt !== undefined && prompt.ignored !== true && stored.on;
  const act = (action: string, text: string, able: boolean) =>
    form(
      { action: `phone/${action}`, ...place },
      held,
      html`<button${!able && html` disabled`}>${text}</button>`,
    );
  return html`<div class="acts" role="group" aria-label="What else the customer can do">${act("wrong-pin", "Wrong PIN", open)}${act("ignore", "Ignore", open)}${stored.on ? act("off", "Switch off", true) : act("on", "Switch on", true)}</div>
<details class="more" id="phone-more"><summary>Balance and habit<small>${money(stored.balanceCents)}</small></summary>
${form(
  { action: "phone/balance", ...place, name: "inline" },
  held,
  html`<label>Balance, KES<input name="balance" inputmode="decimal" value="${formatAmount(stored.balanceCents)}" autocomplete="off"></label><button>Set</button>`,
)}
${form(
  { action: "phone/always", ...place, name: "inline" },
  held,
  html`<label>When it rings, this customer<select name="answer">${Object.entries(HABITS)
    .filter(([habit]) => habit !== "" || stored.autoAnswer === undefined)
    .map(
      ([habit, text]) =>
        html`<option value="${habit}"${(stored.autoAnswer ?? "") === habit && html` selected`}>${text}</option>`,
    )}</select></label><button>Set</button>`,
)}
<form class="inline" method="get" action="/"><label>Another phone<input name="phone" inputmode="tel" placeholder="0733 000 000" required autocomplete="off"></label><button>Show</button></form>
</details>`;
}

/** The customer's side: a phone to tap. */
export function phonePane(shown: Shown): Html {
  const [number, all] = numbersOf(shown);
  const { state, payments } = shown.host.world;
  const stored = state.phones[number] ?? newPhone();
  const prompt = payments.get(stored.prompt ?? "");
  const handset = { number, stored, prompt, settled: settledOn(shown, number) };
  return html`<section class="phone-pane" id="phone" aria-labelledby="phone-title">
<h2 id="phone-title" class="unseen" tabindex="-1">The customer’s phone, ${shortPhone(number)}</h2>
${tabs(shown, number, all)}
${device(shown, handset)}
${controls(shown, handset)}
</section>`;
}
