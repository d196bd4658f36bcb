import type { ChaosName } from "../../../state/records.ts";
import { form, hiddenFields } from "../../components.ts";
import type { PageContext } from "../../context.ts";
import { type Html, html } from "../../html.ts";

/** What often goes wrong, in one click. */
interface Preset {
  readonly text: string;
  readonly effect: string;
}

interface CallPreset extends Preset {
  /** The fields of `faults/add`. */
  readonly fault: Readonly<Record<string, string>>;
}

interface DeliveryPreset extends Preset {
  /** The kind of chaos that happens to every delivery. */
  readonly chaos: ChaosName;
}

const CALLS: readonly CallPreset[] = [
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
];

const DELIVERIES: readonly DeliveryPreset[] = [
  { text: "Webhook twice", effect: "every delivery is sent twice", chaos: "duplicate" },
  { text: "Webhook lost", effect: "no delivery arrives", chaos: "drop" },
  { text: "Out of order", effect: "deliveries swap places", chaos: "reorder" },
  { text: "Forged webhook", effect: "every signature is wrong", chaos: "badSignature" },
];

const button = ({ text, effect }: Preset, isOn = false): Html =>
  html`<button class="preset"${isOn && html` aria-pressed="true"`}><strong>${text}</strong><small>${effect}</small></button>`;

const callPreset = (context: PageContext, preset: CallPreset): Html =>
  form({ context, action: "faults/add", at: "faults" }, hiddenFields(preset.fault), button(preset));

/** Switches one kind of chaos on or off. The other kinds stay as they are. */
function deliveryPreset(context: PageContext, preset: DeliveryPreset): Html {
  const { rates = {}, seed = "" } = context.server.sandboxState.state.chaos ?? {};
  const isOn = rates[preset.chaos] === 1;
  const fields = { ...rates, [preset.chaos]: isOn ? 0 : 1, seed };
  return form(
    { context, action: "chaos", at: "faults" },
    hiddenFields(fields),
    button(preset, isOn),
  );
}

/** Switches for what often goes wrong. */
export const presets = (context: PageContext): Html =>
  html`<h3>Your calls</h3><div class="presets">${CALLS.map((one) => callPreset(context, one))}</div>
<h3>Your webhooks</h3><div class="presets">${DELIVERIES.map((one) => deliveryPreset(context, one))}</div>`;
