import type { SandboxSnapshot } from "../../types.ts";
import { form, hiddenFields, typed } from "../components.ts";
import type { PageContext } from "../context.ts";
import { timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

/** The scene to which a reset by the page can be undone. */
const BEFORE_RESET = "before the reset";

function contents({ payments }: SandboxSnapshot): string {
  const count = Array.isArray(payments) ? payments.length : 0;
  return count === 1 ? "1 payment" : `${count.toLocaleString("en")} payments`;
}

function row(context: PageContext, name: string, at: string, snapshot: SandboxSnapshot): Html {
  const act = (action: "scenes/load" | "scenes/remove", text: string) =>
    form(
      { context, action, at: "scenes" },
      hiddenFields({ name }),
      html`<button class="quiet" aria-label="${text} the scene ${name}">${text}</button>`,
    );
  return html`<li><span><strong>${name}</strong><small>${contents(snapshot)}, at ${timeOf(Date.parse(at))}</small></span><div class="webhook-acts">${act("scenes/load", "Load")}${act("scenes/remove", "Remove")}</div></li>`;
}

function saveForm(context: PageContext): Html {
  const place = { context, action: "scenes/save", at: "scenes" } as const;
  return form(
    { ...place, name: "inline", label: "Save a scene", showsError: true },
    html`<label>Name<input name="name" required maxlength="40" value="${typed(place, "name")}" placeholder="three paid orders" autocomplete="off"></label><button>Save</button>`,
  );
}

/** Asks before it deletes, and keeps what it deletes as a scene. */
const resetForm = (context: PageContext): Html =>
  html`<details class="more" id="reset-more"><summary>${icon("retry")}Start over</summary>
<p class="hint">Deletes every payment, delivery, phone and fault. The clock and the keys are as at the start. To undo it, load the scene “${BEFORE_RESET}”, which it saves.</p>
${form(
  { context, action: "reset", at: "scenes", name: "reset", label: "Reset the sandbox" },
  hiddenFields({ save_as: BEFORE_RESET }),
  html`<label class="check"><input type="checkbox" name="keep_receivers" value="yes" checked>Keep the receivers</label><button class="danger">Reset the sandbox</button>`,
)}</details>`;

/** States to return to. */
export function scenesPane(context: PageContext): Html {
  const { scenes } = context.server;
  return html`<section class="card" id="scenes" aria-labelledby="scenes-title">
<div class="card-head"><h2 id="scenes-title" tabindex="-1">${icon("scene")}Scenes</h2></div>
<p class="hint">A scene is everything you see here, under a name. Save one before you try something, and load it to try again. Scenes last until the sandbox stops.</p>
${scenes.size > 0 && html`<ul class="webhooks">${[...scenes].map(([name, { savedAt, snapshot }]) => row(context, name, savedAt, snapshot))}</ul>`}
${saveForm(context)}
${resetForm(context)}
</section>`;
}
