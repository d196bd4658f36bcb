import { button } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

/** What often goes wrong with calls: a name, its effect, and the fields of `faults/add`. */
const CALLS = [
  [
    "Response lost",
    "the next payment starts, and its response is lost",
    { kind: "lostResponse", endpoint: "mobileMoney.initiate", times: "1" },
  ],
  ["Gateway down", "every call returns 503", { kind: "status", status: "503", times: "always" }],
  [
    "Gateway slow",
    "every call responds 5 s late",
    { kind: "latency", ms: "5000", times: "always" },
  ],
  ["Rate limit", "the next 3 calls return 429", { kind: "status", status: "429", times: "3" }],
] as const;

/** What often goes wrong with deliveries: the kind of chaos that happens to every one. */
const DELIVERIES = [
  ["Webhook twice", "every delivery is sent twice", "duplicate"],
  ["Webhook lost", "no delivery arrives", "drop"],
  ["Out of order", "deliveries swap places", "reorder"],
  ["Forged webhook", "every signature is wrong", "badSignature"],
] as const;

const label = (text: string, effect: string): Html =>
  html`<strong>${text}</strong><small>${effect}</small>`;

/** Switches for what often goes wrong, in one click. */
export function presets(context: PageContext): Html {
  const { rates = {}, seed = "" } = context.state.chaos ?? {};
  const call = ([text, effect, hidden]: (typeof CALLS)[number]) =>
    button(context, "faults", "faults/add", label(text, effect), { name: "preset", hidden });
  const delivery = ([text, effect, chaos]: (typeof DELIVERIES)[number]) => {
    const isOn = rates[chaos] === 1;
    return button(context, "faults", "chaos", label(text, effect), {
      name: "preset",
      // The other kinds of chaos stay as they are.
      hidden: { ...rates, [chaos]: isOn ? 0 : 1, seed },
      attributes: isOn && html` aria-pressed="true"`,
    });
  };
  return html`<h3>Your calls</h3><div class="presets">${CALLS.map(call)}</div>
<h3>Your webhooks</h3><div class="presets">${DELIVERIES.map(delivery)}</div>`;
}
