import { form } from "./components.ts";
import type { PageContext } from "./context.ts";
import { dateOf, timeOf } from "./format.ts";
import { type Html, html } from "./html.ts";
import { icon } from "./icons.ts";
import { connectCard } from "./panes/connect.ts";
import { deliveriesPane } from "./panes/deliveries.ts";
import { faultsPane } from "./panes/faults.ts";
import { paymentsPane } from "./panes/payments.ts";
import { phonePane, ringingOf } from "./panes/phone.ts";
import { servicePane } from "./panes/service.ts";

/** How far one click advances the clock: to the first retry, past the life of a prompt, past three retries. */
const STEPS = { "10s": "10 s", "61s": "61 s", "10m": "10 min" };

function clock({ host, view }: PageContext): Html {
  const now = host.world.clock.ms();
  const running = host.clock === "real";
  return html`<div class="clock"><p><time class="now"${running && html` data-now="${now}" data-clock="long"`}>${timeOf(now)}</time><span>${dateOf(now)}<small>${running ? "real time" : "virtual: stands still"}</small></span></p>
${form(
  { action: "clock", view, at: "top", name: "steps", label: "Advance the clock" },
  html`<span class="steps-label">Advance</span>${Object.entries(STEPS).map(([step, text]) => html`<button name="by" value="${step}">${text}</button>`)}`,
)}
${form(
  {
    action: "clock",
    view,
    at: "top",
    name: "inline custom",
    label: "Advance the clock by another time",
  },
  html`<label><span class="unseen">By how much, such as 2h</span><input name="by" placeholder="2h" required autocomplete="off" pattern="[0-9.]+ *(ms|s|m|min|h|d)"></label><button>Go</button>`,
)}</div>`;
}

const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M8 21v-7.5a4 4 0 0 1 8 0V21m0-7.5a4 4 0 0 1 8 0V21"/><path class="wave" d="M7.5 25.2c2.8-1.8 5.7 1.8 8.5 0s5.7 1.8 8.5 0"/></svg>`;

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='%230a6279'/%3E%3Cpath d='M8 21v-7.5a4 4 0 0 1 8 0V21m0-7.5a4 4 0 0 1 8 0V21' fill='none' stroke='%23fff' stroke-width='2.6' stroke-linecap='round'/%3E%3Cpath d='M7.5 25.2c2.8-1.8 5.7 1.8 8.5 0s5.7 1.8 8.5 0' fill='none' stroke='%23f4b860' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

function header(context: PageContext): Html {
  return html`<header class="top" id="top"><h1><a class="brand" href="/">${MARK}<span>malipo<small>sandbox</small></span></a></h1>
<p class="live" id="live-state" hidden><span class="dot"></span><span data-live>live</span></p>
${clock(context)}</header>`;
}

const flashMessage = ({ flash }: PageContext): Html =>
  html`<p id="flash" role="status" class="${flash === undefined ? "" : flash.good ? "good" : "bad"}">${flash?.text ?? ""}</p>`;

/** Links to the parts of the page, on a narrow screen. */
function shortcuts(context: PageContext): Html {
  const { payments, deliveries } = context.host.world.state;
  const ringing = ringingOf(context).length;
  const count = (all: number) => all > 0 && html`<small>${all > 999 ? "999+" : all}</small>`;
  return html`<nav class="shortcuts" aria-label="Parts of the page"><a href="#phone">${icon("phone")}Phone${count(ringing)}</a><a href="#payments">${icon("coins")}Payments${count(payments.length)}</a><a href="#deliveries">${icon("send")}Deliveries${count(deliveries.length)}</a><a href="#faults">${icon("bolt")}Faults</a></nav>`;
}

/** The whole page, as HTML. */
export function renderPage(context: PageContext): string {
  const ringing = ringingOf(context).length;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${ringing > 0 && `(${ringing}) `}malipo sandbox</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/_sandbox/page.css">
<script src="/_sandbox/page.js" defer></script>
</head>
<body>
<a class="skip" href="#phone-title">Skip to the phone</a>
${flashMessage(context)}
<div id="live">
${header(context)}
<main>
${connectCard(context)}
${phonePane(context)}
${paymentsPane(context)}
${deliveriesPane(context)}
<div class="below">${faultsPane(context)}${servicePane(context)}</div>
</main>
${shortcuts(context)}
</div>
<noscript><p class="noscript">Without JavaScript this page is not updated automatically. <a href="/">Reload</a></p></noscript>
</body>
</html>`.markup;
}
