import { ENDPOINTS } from "../../../contract/endpoints.ts";
import { type Html, html } from "../../../html/html.ts";
import { icon } from "../../../html/icons.ts";
import { span } from "../../../internal/span.ts";
import type { ChaosName, FaultEffect } from "../../state/sandbox-records.ts";
import type { StoredChaos, StoredFault } from "../../state/stored.ts";
import { button, card, type FormPlace, folded, form, input, panel, select } from "../components.ts";

import type { PageContext } from "../page-view.ts";

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
function chaosForm(context: PageContext): Html {
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

/** Chaos in a few words. */
function chaosText({ seed, rates }: StoredChaos): string {
  const kinds = Object.entries(rates).map(
    ([name, rate]) => `${CHAOS_LABELS[name as ChaosName].toLowerCase()} (${often(rate)})`,
  );
  return [...kinds, `seed ${seed}`].join(", ");
}

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
function presets(context: PageContext): Html {
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
  return html`<h3>Your calls</h3><div class="grid">${CALLS.map(call)}</div>
<h3>Your webhooks</h3><div class="grid">${DELIVERIES.map(delivery)}</div>`;
}

const EFFECTS: Readonly<Record<FaultEffect["kind"], string>> = {
  status: "returns an error status",
  latency: "responds late",
  reset: "is reset before it is processed",
  hang: "never responds, and is not processed",
  truncate: "is processed, and its response is cut off",
  lostResponse: "is processed, and its response is lost",
};

function effectText(effect: FaultEffect): string {
  if (effect.kind === "status") return `returns ${effect.status}`;
  if (effect.kind !== "latency") return EFFECTS[effect.kind];
  return `responds ${effect.ms < 1_000 ? `${effect.ms} ms` : span(effect.ms)} late`;
}

function faultRow(context: PageContext, { id, match, effect, after, times }: StoredFault): Html {
  const { endpoint, method, path } = match;
  const target = endpoint ?? [method, path].filter(Boolean).join(" ");
  const count = times === null ? "always" : times === 1 ? "once" : `${times} times`;
  const text = html`${icon("bolt")}<code>${target === "" ? "any call" : target}</code> ${effectText(effect)} · <strong>${count}</strong>${after > 0 && ` after ${after} more`}`;
  if (id === undefined) return panel(context, "faults", text);
  const remove = ["faults/remove", "Remove", `Remove the fault ${id}`] as const;
  return panel(context, "faults", text, { id }, [remove]);
}

const TIMES = [
  ["1", "once"],
  ["2", "twice"],
  ["5", "5 times"],
  ["always", "always"],
] as const;

/** Its style shows the status and the delay only for the effects that have one. */
function addForm(place: FormPlace): Html {
  const endpoints = Object.keys(ENDPOINTS).map((name) => [name, name] as const);
  const numeric = html` inputmode="numeric"`;
  return form(
    { ...place, name: "grid fault", label: "Add a fault", showsError: true },
    select(place, "endpoint", "Call", [["", "any call"], ...endpoints]),
    select(place, "kind", "Effect", Object.entries(EFFECTS), "status"),
    input(place, "status", "Status", numeric, "503"),
    input(place, "ms", "Delay, ms", numeric, "2000"),
    input(place, "after", "Skip first", numeric, "0"),
    select(place, "times", "How often", TIMES, "1"),
    html`<button class="primary">Add the fault</button>`,
  );
}

/** What is wrong right now, and the ways to end it. */
function active(context: PageContext): Html | undefined {
  const { faults, chaos } = context.state;
  if (faults.length === 0 && chaos === undefined) return undefined;
  const end = (action: "faults/clear" | "chaos/end", text: string) =>
    button(context, "faults", action, text, { name: "" });
  return html`<ul class="panels stack warned" aria-label="Active faults">${faults.map((one) => faultRow(context, one))}${chaos && panel(context, "faults", html`${icon("bolt")}Chaos: ${chaosText(chaos)}`)}</ul>
<div class="line">${faults.length > 0 && end("faults/clear", "Clear all faults")}${chaos && end("chaos/end", "End chaos")}</div>`;
}

/** The faults and the chaos that are active, in a few words; `undefined` if there is none. */
export function activeText({ state: { faults, chaos } }: PageContext): string | undefined {
  const count = faults.length + Object.keys(chaos?.rates ?? {}).length;
  if (count === 0) return undefined;
  return count === 1 ? "1 fault is active" : `${count} faults are active`;
}

/** What can be made to go wrong. */
export function faultsPane(context: PageContext): Html {
  const add = { context, action: "faults/add", at: "faults" } as const;
  const chaos = { ...add, action: "chaos" } as const;
  const summary = (text: string) => html`${icon("plus")}${text}`;
  return card(
    "faults",
    "bolt",
    "Faults and chaos",
    html`<small>${activeText(context) ?? "no fault is active"}</small>`,
    active(context),
    presets(context),
    folded("fault-more", summary("Another fault"), addForm(add), "more", add),
    folded("chaos-more", summary("Chaos: random faults"), chaosForm(context), "more", chaos),
  );
}
