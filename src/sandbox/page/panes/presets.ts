import { form } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

/** What often goes wrong with calls: a name, its effect, and the fields of `faults/add`. */
const CALLS = [
  {
    text: "Response lost",
    effect: "the next payment starts, and its response is lost",
    fault: { kind: "lostResponse", endpoint: "mobileMoney.initiate", times: "1" },
  },
  {
    text: "Gateway down",
    effect: "every call returns 503",
    fault: { kind: "status", status: "503", times: "always" },
  },
  {
    text: "Gateway slow",
    effect: "every call responds 5 s late",
    fault: { kind: "latency", ms: "5000", times: "always" },
  },
  {
    text: "Rate limit",
    effect: "the next 3 calls return 429",
    fault: { kind: "status", status: "429", times: "3" },
  },
] as const;

/** What often goes wrong with deliveries: the kind of chaos that happens to every one. */
const DELIVERIES = [
  { text: "Webhook twice", effect: "every delivery is sent twice", chaos: "duplicate" },
  { text: "Webhook lost", effect: "no delivery arrives", chaos: "drop" },
  { text: "Out of order", effect: "deliveries swap places", chaos: "reorder" },
  { text: "Forged webhook", effect: "every signature is wrong", chaos: "badSignature" },
] as const;

const button = ({ text, effect }: { text: string; effect: string }, isOn = false): Html =>
  html`<button class="preset"${isOn && html` aria-pressed="true"`}><strong>${text}</strong><small>${effect}</small></button>`;

/** Switches for what often goes wrong, in one click. */
export function presets(context: PageContext): Html {
  const { rates = {}, seed = "" } = context.server.sandboxState.state.chaos ?? {};
  const place = { context, at: "faults" };
  const call = (preset: (typeof CALLS)[number]) =>
    form({ ...place, action: "faults/add", hidden: preset.fault }, button(preset));
  // The other kinds of chaos stay as they are.
  const delivery = (preset: (typeof DELIVERIES)[number]) => {
    const isOn = rates[preset.chaos] === 1;
    const hidden = { ...rates, [preset.chaos]: isOn ? 0 : 1, seed };
    return form({ ...place, action: "chaos", hidden }, button(preset, isOn));
  };
  return html`<h3>Your calls</h3><div class="presets">${CALLS.map(call)}</div>
<h3>Your webhooks</h3><div class="presets">${DELIVERIES.map(delivery)}</div>`;
}
