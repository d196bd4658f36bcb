import { ENDPOINTS } from "../../../contract/endpoints.ts";
import type { FaultEffect, StoredFault } from "../../state/records.ts";
import { form } from "../components.ts";
import type { PageContext } from "../context.ts";
import { span } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import { chaosForm, chaosText } from "./chaos-form.ts";

const EFFECTS: Readonly<Record<FaultEffect["kind"], string>> = {
  status: "returns an error status",
  latency: "responds late",
  reset: "resets the connection, nothing processed",
  hang: "never responds, nothing processed",
  truncate: "processes it, cuts the response off",
  lostResponse: "processes it, loses the response",
};

function effectText(effect: FaultEffect): string {
  if (effect.kind === "status") return `returns ${effect.status}`;
  return effect.kind === "latency" ? `responds ${span(effect.ms)} late` : EFFECTS[effect.kind];
}

function faultRow({ match, effect, after, times }: StoredFault): Html {
  const { endpoint, method, path } = match;
  const where = endpoint ?? [method, path].filter(Boolean).join(" ");
  const count = times === null ? "always" : times === 1 ? "once" : `${times} times`;
  return html`<li><code>${where === "" ? "any call" : where}</code> ${effectText(effect)}, <strong>${count}</strong>${after > 0 && ` after ${after} more`}</li>`;
}

const options = (all: Iterable<readonly [string, string]>): Html[] =>
  [...all].map(([value, text]) => html`<option value="${value}">${text}</option>`);

function addForm({ view }: PageContext): Html {
  const endpoints = Object.keys(ENDPOINTS).map((name) => [name, name] as const);
  return form(
    { action: "faults/add", view, at: "faults", name: "grid", label: "Add a fault" },
    html`<label>Call<select name="endpoint">${options([["", "any call"], ...endpoints])}</select></label>
<label>Effect<select name="kind">${options(Object.entries(EFFECTS))}</select></label>
<label>Status<input name="status" inputmode="numeric" value="503" aria-describedby="fault-hint"></label>
<label>Delay, ms<input name="ms" inputmode="numeric" value="2000" aria-describedby="fault-hint"></label>
<label>Skip first<input name="after" inputmode="numeric" value="0"></label>
<label>How often<select name="times">${options([
      ["1", "once"],
      ["2", "twice"],
      ["5", "5 times"],
      ["always", "always"],
    ])}</select></label>
<button class="primary">Add the fault</button>
<p class="hint" id="fault-hint">The status is only for an error status, the delay only for a late response.</p>`,
  );
}

function activeFaults({ host, view }: PageContext): Html {
  const { faults } = host.world.state;
  if (faults.length === 0) return html`<p class="hint">No fault is active.</p>`;
  return html`<ul class="faults">${faults.map(faultRow)}</ul>${form({ action: "faults/clear", view, at: "faults" }, html`<button>Clear all faults</button>`)}`;
}

/** What can be made to go wrong. */
export function faultsPane(context: PageContext): Html {
  const { faults, chaos } = context.host.world.state;
  const active = [
    faults.length > 0 && `${faults.length} ${faults.length === 1 ? "fault" : "faults"}`,
    chaos !== undefined && `chaos: ${chaosText(chaos)}`,
  ].filter((text) => text !== false);
  return html`<section class="card" id="faults" aria-label="Faults and chaos">
<details id="faults-details"><summary>${icon("bolt")}<h2>Faults and chaos</h2><small>${active.length === 0 ? "none: everything works" : active.join("; ")}</small></summary>
<div class="columns"><div><h3>Make a call fail</h3>${addForm(context)}${activeFaults(context)}
<h3>Start over</h3><p class="hint">Deletes every payment, phone, webhook and fault. The clock and the keys are as at the start.</p>${form({ action: "reset", view: context.view, at: "faults" }, html`<button class="danger">Reset the sandbox</button>`)}</div>
<div><h3>Chaos</h3>${chaosForm(context)}</div></div>
</details>
</section>`;
}
