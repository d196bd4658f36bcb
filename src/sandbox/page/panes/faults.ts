import { ENDPOINTS } from "../../../contract/endpoints.ts";
import type { FaultEffect } from "../../state/records.ts";
import type { StoredFault } from "../../state/stored.ts";
import { button, card, type FormPlace, folded, form, input, panel, select } from "../components.ts";
import { span } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";
import { chaosForm, chaosText } from "./chaos-form.ts";
import { presets } from "./presets.ts";

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
  const label = `Remove the fault ${id}`;
  return panel(
    html`${icon("bolt")}<code>${target === "" ? "any call" : target}</code> ${effectText(effect)} · <strong>${count}</strong>${after > 0 && ` after ${after} more`}`,
    id !== undefined &&
      button(context, "faults", "faults/remove", "Remove", { hidden: { id }, label }),
  );
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
  return html`<ul class="panels stack warned" aria-label="Active faults">${faults.map((one) => faultRow(context, one))}${chaos && panel(html`${icon("bolt")}Chaos: ${chaosText(chaos)}`, "")}</ul>
<div class="line">${faults.length > 0 && end("faults/clear", "Clear all faults")}${chaos && end("chaos/end", "End chaos")}</div>`;
}

/** The faults and the chaos that are active, in a few words; `undefined` if everything works. */
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
    html`<small>${activeText(context) ?? "everything works"}</small>`,
    active(context),
    presets(context),
    folded("fault-more", summary("Another fault"), addForm(add), "more", add),
    folded("chaos-more", summary("Chaos: random faults"), chaosForm(context), "more", chaos),
  );
}
