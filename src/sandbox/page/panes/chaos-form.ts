import type { ChaosName } from "../../state/records.ts";
import type { StoredChaos } from "../../state/stored.ts";
import { form, input, select } from "../components.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../view.ts";

/** What chaos can do, for a person. */
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

const often = (rate: number) =>
  RATES.find(([known]) => known === rate)?.[1] ?? `${Math.round(rate * 100)} in 100`;

/** The form of chaos: which random faults, how often, and the seed that repeats them. */
export function chaosForm(context: PageContext): Html {
  const { chaos } = context.state;
  const place = { context, action: "chaos", at: "faults" } as const;
  const rate = ([name, label]: [string, string]) => {
    const chosen = chaos?.rates[name as ChaosName] ?? 0;
    const choices = new Map<number, string>([...RATES, [chosen, often(chosen)]]);
    return select(place, name, label, choices, chosen);
  };
  return form(
    { ...place, name: "grid", label: "Chaos", showsError: true },
    Object.entries(CHAOS_LABELS).map(rate),
    input(place, "seed", "Seed", html` required`, chaos?.seed ?? "malipo"),
    html`<p class="hint">The same seed and the same calls give the same faults.</p>
<button class="primary">${chaos === undefined ? "Start chaos" : "Restart chaos"}</button>`,
  );
}

/** How many kinds of fault are named. */
const MAX_NAMED = 2;

/** Chaos in a few words. */
export function chaosText({ seed, rates }: StoredChaos): string {
  const names = Object.keys(rates) as ChaosName[];
  const named = names
    .slice(0, MAX_NAMED)
    .map((name) => `${CHAOS_LABELS[name].toLowerCase()} (${often(rates[name] ?? 0)})`);
  const more = names.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}, seed ${seed}`;
}
