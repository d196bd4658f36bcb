import { ENDPOINTS } from "../../../contract/endpoints.ts";
import type { FaultEffect } from "../../state/records.ts";
import type { StoredFault } from "../../state/stored.ts";
import { card, folded, form, options, typed } from "../components.ts";
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
  return html`<li><span>${icon("bolt")}<code>${target === "" ? "any call" : target}</code> ${effectText(effect)} · <strong>${count}</strong>${after > 0 && ` after ${after} more`}</span>${
    id !== undefined &&
    form(
      { action: "faults/remove", context, at: "faults", hidden: { id } },
      html`<button class="quiet" aria-label="Remove the fault ${id}">Remove</button>`,
    )
  }</li>`;
}

const TIMES = [
  ["1", "once"],
  ["2", "twice"],
  ["5", "5 times"],
  ["always", "always"],
] as const;

/** Its style shows the status and the delay only for the effects that have one. */
function addForm(place: { context: PageContext; action: "faults/add"; at: string }): Html {
  const endpoints = Object.keys(ENDPOINTS).map((name) => [name, name] as const);
  const value = (field: string, initial: string) => typed(place, field, initial);
  return form(
    { ...place, name: "grid fault", label: "Add a fault", showsError: true },
    html`<label>Call<select name="endpoint">${options([["", "any call"], ...endpoints], value("endpoint", ""))}</select></label>
<label>Effect<select name="kind">${options(Object.entries(EFFECTS), value("kind", "status"))}</select></label>
<label class="only-status">Status<input name="status" inputmode="numeric" value="${value("status", "503")}" autocomplete="off"></label>
<label class="only-latency">Delay, ms<input name="ms" inputmode="numeric" value="${value("ms", "2000")}" autocomplete="off"></label>
<label>Skip first<input name="after" inputmode="numeric" value="${value("after", "0")}" autocomplete="off"></label>
<label>How often<select name="times">${options(TIMES, value("times", "1"))}</select></label>
<button class="primary">Add the fault</button>`,
  );
}

/** What is wrong right now, and the ways to end it. */
function active(context: PageContext): Html | undefined {
  const { faults, chaos } = context.server.sandboxState.state;
  if (faults.length === 0 && chaos === undefined) return undefined;
  const place = { context, at: "faults" };
  return html`<ul class="panels warned" aria-label="Active faults">${faults.map((one) => faultRow(context, one))}${chaos !== undefined && html`<li><span>${icon("bolt")}Chaos: ${chaosText(chaos)}</span></li>`}</ul>
<div class="fault-ends">${faults.length > 0 && form({ action: "faults/clear", ...place }, html`<button>Clear all faults</button>`)}${chaos !== undefined && form({ action: "chaos/end", ...place }, html`<button>End chaos</button>`)}</div>`;
}

/** The faults and the chaos that are active, in a few words; `undefined` if everything works. */
export function activeText({ server }: PageContext): string | undefined {
  const { faults, chaos } = server.sandboxState.state;
  const count = faults.length + (chaos === undefined ? 0 : Object.keys(chaos.rates).length);
  if (count === 0) return undefined;
  return count === 1 ? "1 fault is active" : `${count} faults are active`;
}

/** What can be made to go wrong. */
export function faultsPane(context: PageContext): Html {
  const add = { context, action: "faults/add", at: "faults" } as const;
  return card(
    "faults",
    "bolt",
    "Faults and chaos",
    html`<small>${activeText(context) ?? "everything works"}</small>`,
    active(context),
    presets(context),
    folded("fault-more", html`${icon("plus")}Another fault`, addForm(add), add),
    folded("chaos-more", html`${icon("plus")}Chaos: random faults`, chaosForm(context), {
      ...add,
      action: "chaos",
    }),
  );
}
