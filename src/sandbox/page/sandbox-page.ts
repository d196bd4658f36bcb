import { type Html, html, renderPage } from "../../html/html.ts";
import { icon, LOGO } from "../../html/icons.ts";
import { span } from "../../internal/span.ts";
import { type AssumptionResult, assumptionResults } from "../assumption-results.ts";
import { ASSUMPTIONS, type Assumption } from "../assumptions.ts";
import { machineTime } from "../clock.ts";
import type { SandboxSnapshot } from "../sandbox-types.ts";
import {
  type Badge,
  badge,
  card,
  copyButton,
  folded,
  foldedCard,
  form,
  inlineForm,
  input,
  panel,
} from "./components.ts";
import { dateOf, timeOf } from "./page-format.ts";
import type { PageContext } from "./page-view.ts";
import { connectCard } from "./panes/connect-card.ts";
import { deliveriesPane } from "./panes/deliveries-pane.ts";
import { activeText, faultsPane } from "./panes/faults-pane.ts";
import { paymentsPane } from "./panes/payments-pane.ts";
import { phonePane, ringingOf } from "./panes/phone-pane.ts";
import { requestsPane } from "./panes/requests-pane.ts";

/** How far one click advances the clock, and what that reaches. */
const STEPS = [
  ["10s", "10 s", "the first retry of a delivery"],
  ["61s", "61 s", "past the life of a prompt"],
  ["10m", "10 min", "the first three retries"],
] as const;

/** Below this, the clock of real time was not advanced. */
const MIN_ADVANCED_MS = 2_000;

/** Whether the clock runs, and how far it was advanced. */
function clockText({ server, state }: PageContext): string {
  const now = server.sandboxState.clock.ms();
  if (server.clock === "virtual") {
    const advanced = now - state.startedAt;
    return advanced > 0 ? `virtual, advanced by ${span(advanced)}` : "virtual: stands still";
  }
  const ahead = now - machineTime();
  return ahead < MIN_ADVANCED_MS ? "real time" : `${span(ahead)} ahead of real time`;
}

function clock(context: PageContext): Html {
  const now = context.server.sandboxState.clock.ms();
  const running = context.server.clock === "real";
  const place = { context, action: "clock", at: "top" } as const;
  const duration = html` placeholder="2h" size="4" required pattern="[0-9.]+ *(ms|s|m|min|h|d)"`;
  return html`<div class="clock line"><small class="line"><time class="now"${running && html` data-now="${now}" data-clock="long"`}>${timeOf(now)}</time><span>${dateOf(now)}<small>${clockText(context)}</small></span></small>
${form(
  { ...place, name: "line", label: "Advance the time" },
  html`<small aria-hidden="true">Advance time</small>${STEPS.map(([step, text, reaches]) => html`<button name="by" value="${step}" title="Advance the time by ${text}: ${reaches}">+${text}</button>`)}`,
)}
${inlineForm(
  { ...place, name: "custom", label: "Advance the time by any duration" },
  input(place, "by", html`<span class="unseen">By how much, such as 2h</span>`, duration),
  "Go",
)}</div>`;
}

/** The name, whether the page is live, what is wrong on purpose, and the clock. */
function header(context: PageContext): Html {
  const faults = activeText(context);
  return html`<header class="top line" id="top"><h1><a class="brand line" href="/">${LOGO}<span>malipo</span><small>sandbox</small></a></h1>
<small class="line good" id="live-state" data-local hidden><span aria-hidden="true">●</span><span id="live-text">live</span></small>
${faults !== undefined && html`<a class="alarm badge waiting" id="alarm" href="#faults">${icon("bolt")}${faults}</a>`}
${clock(context)}</header>`;
}

/** The scene to which a reset by the page can be undone. */
const BEFORE_RESET = "before the reset";

function contents({ payments }: SandboxSnapshot): string {
  const count = Array.isArray(payments) ? payments.length : 0;
  return count === 1 ? "1 payment" : `${count.toLocaleString("en")} payments`;
}

function sceneRow(context: PageContext, name: string, at: string, snapshot: SandboxSnapshot): Html {
  const about = `${contents(snapshot)}, at ${timeOf(Date.parse(at))}`;
  return panel(context, "scenes", html`<strong>${name}</strong><small>${about}</small>`, { name }, [
    ["scenes/load", "Load", `Load the scene ${name}`],
    ["scenes/remove", "Remove", `Remove the scene ${name}`],
  ]);
}

/** Asks before it deletes, and saves what it deletes as a scene. */
function resetForm(context: PageContext): Html {
  const hidden = { save_as: BEFORE_RESET };
  const reset = form(
    {
      context,
      action: "reset",
      at: "scenes",
      name: "inline line",
      label: "Reset the sandbox",
      hidden,
    },
    html`<label class="line"><input type="checkbox" name="keep_receivers" value="yes" checked>Keep the receivers</label><button class="bad">Reset the sandbox</button>`,
  );
  const hint = html`<p class="hint">Deletes every payment, delivery, phone and fault. The clock and the keys are as at the start. To undo it, load the scene “${BEFORE_RESET}”, which it saves.</p>`;
  return folded("reset-more", html`${icon("retry")}Start over`, [hint, reset]);
}

/** States to return to. */
function scenesPane(context: PageContext): Html {
  const { scenes } = context.server;
  const place = { context, action: "scenes/save", at: "scenes" } as const;
  const attributes = html` required maxlength="40" placeholder="three paid orders"`;
  return card(
    "scenes",
    "scene",
    "Scenes",
    undefined,
    html`<p class="hint">A scene is everything you see here, under a name. Save one before you try something, and load it to try again. Scenes last until the sandbox stops.</p>
${scenes.size > 0 && html`<ul class="panels stack">${[...scenes].map(([name, { savedAt, snapshot }]) => sceneRow(context, name, savedAt, snapshot))}</ul>`}`,
    inlineForm(
      { ...place, label: "Save a scene" },
      input(place, "name", "Name", attributes),
      "Save",
    ),
    resetForm(context),
  );
}

const serviceRow = (name: AssumptionResult["name"], text: string, ...state: Badge): Html =>
  html`<li><div class="line"><h3>${ASSUMPTIONS[name].about}</h3>${badge(...state)}</div><p>${text}</p></li>`;

/** What a profile changes nothing about stays an assumption of the sandbox. */
function isLearned({ name, seen }: AssumptionResult): boolean {
  const { learn }: Assumption = ASSUMPTIONS[name];
  return seen > 0 && "knob" in learn && !learn.knob.startsWith("none");
}

/** Which parts of the sandbox are learned from a service: only there if it has a profile. */
function servicePane({ server: { profile } }: PageContext): Html | undefined {
  if (profile === undefined) return undefined;
  const parts = assumptionResults(profile);
  const learned = parts.filter(isLearned);
  const assumed = parts.filter((part) => !isLearned(part));
  return foldedCard(
    "service",
    "message",
    "Speaks like your service",
    `${learned.length} parts are learned, ${assumed.length} are assumed`,
    html`<ul class="parts">${learned.map((one) => serviceRow(one.name, one.found ?? one.assumed, "good", "check", "Learned"))}${assumed.map((one) => serviceRow(one.name, one.assumed, "plain", "message", "Assumed"))}</ul>`,
  );
}

const flashMessage = ({ flash }: PageContext): Html =>
  html`<p id="flash" role="status" class="notice ${flash && (flash.rejected ? "bad" : "good")}">${flash?.text ?? ""}</p>`;

/** Shown by the script when the sandbox no longer responds. */
function stoppedNotice({ server: { command } }: PageContext): Html {
  const how =
    command === undefined
      ? html`<p>To start it again, run your program again.</p>`
      : html`<p>To start it again:</p><p><code>${command}</code>${copyButton(command, "the command")}</p>`;
  return html`<div class="notice bad" id="stopped" role="alert" hidden><p><strong>The sandbox has stopped.</strong> This is what it showed last.</p>${how}</div>`;
}

/** Links to the parts of the page. */
function shortcuts(context: PageContext): Html {
  const { payments, deliveries } = context.state;
  const parts = [
    ["phone", "phone", "Phone", ringingOf(context).length],
    ["payments", "coins", "Payments", payments.length],
    ["requests", "list", "Requests", 0],
    ["deliveries", "send", "Webhooks", deliveries.length],
    ["faults", "bolt", "Faults", 0],
  ] as const;
  const link = ([id, shape, name, count]: (typeof parts)[number]) =>
    html`<a href="#${id}">${icon(shape)}${name}${count > 0 && html`<small class="badge">${count > 999 ? "999+" : count}</small>`}</a>`;
  return html`<nav class="shortcuts tabs" aria-label="Parts of the page">${parts.map(link)}</nav>`;
}

/** The whole page, as HTML. */
export function renderSandboxPage(context: PageContext): string {
  const ringing = ringingOf(context).length;
  const title = html`${ringing > 0 && `(${ringing}) `}malipo sandbox`;
  const head = html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO.markup)}">
<script src="/_sandbox/page.js" defer></script>`;
  const body = html`<a class="skip" href="#phone-title">Skip to the phone</a>
<noscript><p class="notice">Without JavaScript this page is not updated automatically. <a href="/">Reload</a></p></noscript>
${stoppedNotice(context)}
<div id="live">
${flashMessage(context)}
${header(context)}
<main>
${phonePane(context)}
${connectCard(context)}
<div class="column stack">${paymentsPane(context)}${requestsPane(context)}${scenesPane(context)}</div>
<div class="column stack">${deliveriesPane(context)}${faultsPane(context)}</div>
${servicePane(context)}
</main>
${shortcuts(context)}
</div>`;
  return renderPage({ title, style: "/_sandbox/page.css", body, head });
}
