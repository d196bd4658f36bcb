import { machineTime, VIRTUAL_START } from "../../clock/time.ts";
import { form, inlineForm, input } from "../components.ts";
import { dateOf, span, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon, LOGO } from "../icons.ts";
import type { PageContext } from "../view.ts";
import { activeText } from "./faults.ts";

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
    const advanced = now - (state.startedAt ?? VIRTUAL_START);
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
export function header(context: PageContext): Html {
  const faults = activeText(context);
  return html`<header class="top line" id="top"><h1><a class="brand line" href="/">${LOGO}<span>malipo</span><small>sandbox</small></a></h1>
<small class="line good" id="live-state" data-local hidden><span aria-hidden="true">●</span><span id="live-text">live</span></small>
${faults !== undefined && html`<a class="alarm badge waiting" id="alarm" href="#faults">${icon("bolt")}${faults}</a>`}
${clock(context)}</header>`;
}
