import type { ChaosName, StoredChaos } from "../../../state/records.ts";
import { form } from "../../components.ts";
import type { PageContext } from "../../context.ts";
import { type Html, html } from "../../html.ts";

/** What chaos can do, as the form says it. */
const CHAOS_LABELS: Readonly<Record<ChaosName, string>> = {
  duplicate: "Deliveries are sent twice",
  reorder: "Deliveries are reordered",
  delay: "Deliveries are delayed",
  drop: "Deliveries are lost",
  badSignature: "Signatures are wrong",
  staleTimestamp: "Timestamps are a day old",
  rotateSecret: "The secret is rotated",
  apiErrors: "Calls fail with 429 or 5xx",
  lostResponses: "Calls are processed, responses lost",
};

const RATES = [
  [0, "never"],
  [0.1, "1 in 10"],
  [0.3, "3 in 10"],
  [0.6, "6 in 10"],
  [1, "always"],
] as const;

function rate(name: ChaosName, chosen: number): Html {
  const known = RATES.some(([value]) => value === chosen);
  const rows = known ? RATES : [...RATES, [chosen, `${Math.round(chosen * 100)} in 100`] as const];
  return html`<label>${CHAOS_LABELS[name]}<select name="${name}">${rows.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

/** The form of chaos: which random faults, how often, and the seed that repeats them. */
export function chaosForm(context: PageContext): Html {
  const { chaos } = context.server.sandboxState.state;
  const names = Object.keys(CHAOS_LABELS) as ChaosName[];
  const place = { context, at: "faults" };
  return html`${form(
    { action: "chaos", ...place, name: "grid chaos", label: "Chaos", showsError: true },
    names.map((name) => rate(name, chaos?.rates[name] ?? 0)),
    html`<label>Seed<input name="seed" value="${chaos?.seed ?? "malipo"}" required autocomplete="off"></label>
<p class="hint">The same seed and the same calls give the same faults.</p>
<button class="primary">${chaos === undefined ? "Start chaos" : "Restart chaos"}</button>`,
  )}`;
}

/** How many kinds of fault are named. */
const MAX_NAMED = 2;

/** Chaos in a few words. */
export function chaosText({ seed, rates }: StoredChaos): string {
  const names = Object.keys(rates) as ChaosName[];
  const named = names.slice(0, MAX_NAMED).map((name) => {
    const { [name]: value = 0 } = rates;
    const often =
      RATES.find(([known]) => known === value)?.[1] ?? `${Math.round(value * 100)} in 100`;
    return `${CHAOS_LABELS[name].toLowerCase()} (${often})`;
  });
  const more = names.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}, seed ${seed}`;
}
