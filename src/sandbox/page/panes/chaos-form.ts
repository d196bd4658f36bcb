import type { ChaosName, StoredChaos } from "../../state/records.ts";
import { type Html, html } from "../html.ts";
import type { Shown } from "../page.ts";
import { form } from "../pieces.ts";

/** What chaos can do, in words. */
export const MISHAPS: Readonly<Record<ChaosName, string>> = {
  duplicate: "Deliveries come twice",
  reorder: "Deliveries change places",
  delay: "Deliveries come late",
  drop: "Deliveries are lost",
  badSignature: "Signatures are wrong",
  staleTimestamp: "Timestamps are a day old",
  rotateSecret: "The secret is rotated",
  apiErrors: "Calls fail with 429 or 5xx",
  lostResponses: "Calls are done, answers lost",
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
  return html`<label>${MISHAPS[name]}<select name="${name}">${rows.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></label>`;
}

/** The switches of chaos: what goes wrong by itself, how often, and the seed that brings it again. */
export function chaosForm({ host, view }: Shown): Html {
  const { chaos } = host.world.state;
  const names = Object.keys(MISHAPS) as ChaosName[];
  const place = { view, at: "faults" };
  return html`${form(
    { action: "chaos", ...place, name: "grid chaos", label: "Chaos" },
    names.map((name) => rate(name, chaos?.rates[name] ?? 0)),
    html`<label>Seed<input name="seed" value="${chaos?.seed ?? "malipo"}" required autocomplete="off"></label>
<p class="hint">The same seed and the same calls meet the same mishaps.</p>
<button class="primary">${chaos === undefined ? "Let chaos begin" : "Begin chaos anew"}</button>`,
  )}${chaos !== undefined && form({ action: "chaos/end", ...place }, html`<button>End chaos</button>`)}`;
}

/** Chaos in a few words. */
export const chaosText = ({ seed, rates }: StoredChaos): string =>
  `${Object.keys(rates).length} kinds of mishap, seed ${seed}`;
