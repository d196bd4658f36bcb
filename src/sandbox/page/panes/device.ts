import { ASSUMPTIONS } from "../../assumptions.ts";
import { MERCHANT } from "../../payments/merchant.ts";
import { localFormat, networkOf } from "../../payments/phone-number.ts";
import type { StoredPayment, StoredPhone } from "../../state/stored.ts";
import { form } from "../components.ts";
import { clipped, dateOf, money, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

/** A phone as the page draws it. */
export interface Handset {
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
<div class="dialog-head line"><h3 id="prompt-title">Payment request</h3>${countdown(context, payment)}</div>
<p class="ask"><span class="amount">${money(cents, currency)}</span> to <strong>${MERCHANT.name}</strong></p>
<dl class="ask-about"><div><dt>Account</dt><dd>${account_reference === "" ? "none given" : account_reference}</dd></div>${description !== "" && html`<div><dt>For</dt><dd>${clipped(description, 70)}</dd></div>`}</dl>
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
  const text =
    status === "completed"
      ? `${money(cents, currency)} paid to ${MERCHANT.name}${label}. Receipt ${transaction_id}.`
      : `${money(cents, currency)}${label}: ${failure?.userMessage}`;
  return html`<li id="message-${payment.reference}" class="message ${status}">${icon(status === "completed" ? "check" : "cross")}<p>${text}<time>${finalAt === undefined ? "" : timeOf(finalAt)}</time></p></li>`;
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
${final.length === 0 && !open && html`<p class="quiet-screen">No prompt.<br>A payment to <span class="number">${localFormat(number)}</span> rings here.</p>`}
${prompt?.ignored === true && html`<p class="quiet-screen">Ignored.<br>The prompt expires in ${countdown(context, prompt)}</p>`}
</div>
${open && dialog(context, number, prompt)}
</div>`;
}

/** The phone itself. */
export const device = (context: PageContext, handset: Handset): Html =>
  html`<div class="device" id="device-${handset.number}">${screen(context, handset)}</div>`;
