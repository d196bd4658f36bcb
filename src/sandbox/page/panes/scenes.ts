import type { SandboxSnapshot } from "../../types.ts";
import { card, folded, form, inlineForm, input, panel } from "../components.ts";
import { timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

/** The scene to which a reset by the page can be undone. */
const BEFORE_RESET = "before the reset";

function contents({ payments }: SandboxSnapshot): string {
  const count = Array.isArray(payments) ? payments.length : 0;
  return count === 1 ? "1 payment" : `${count.toLocaleString("en")} payments`;
}

function row(context: PageContext, name: string, at: string, snapshot: SandboxSnapshot): Html {
  const about = `${contents(snapshot)}, at ${timeOf(Date.parse(at))}`;
  return panel(context, "scenes", html`<strong>${name}</strong><small>${about}</small>`, { name }, [
    ["scenes/load", "Load", `Load the scene ${name}`],
    ["scenes/remove", "Remove", `Remove the scene ${name}`],
  ]);
}

/** Asks before it deletes, and saves what it deletes as a scene. */
function resetForm(context: PageContext): Html {
  const hidden = { save_as: BEFORE_RESET };
  const reset = form(
    {
      context,
      action: "reset",
      at: "scenes",
      name: "inline line",
      label: "Reset the sandbox",
      hidden,
    },
    html`<label class="line"><input type="checkbox" name="keep_receivers" value="yes" checked>Keep the receivers</label><button class="bad">Reset the sandbox</button>`,
  );
  const hint = html`<p class="hint">Deletes every payment, delivery, phone and fault. The clock and the keys are as at the start. To undo it, load the scene “${BEFORE_RESET}”, which it saves.</p>`;
  return folded("reset-more", html`${icon("retry")}Start over`, [hint, reset]);
}

/** States to return to. */
export function scenesPane(context: PageContext): Html {
  const { scenes } = context.server;
  const place = { context, action: "scenes/save", at: "scenes" } as const;
  const attributes = html` required maxlength="40" placeholder="three paid orders"`;
  return card(
    "scenes",
    "scene",
    "Scenes",
    undefined,
    html`<p class="hint">A scene is everything you see here, under a name. Save one before you try something, and load it to try again. Scenes last until the sandbox stops.</p>
${scenes.size > 0 && html`<ul class="panels stack">${[...scenes].map(([name, { savedAt, snapshot }]) => row(context, name, savedAt, snapshot))}</ul>`}`,
    inlineForm(
      { ...place, label: "Save a scene" },
      input(place, "name", "Name", attributes),
      "Save",
    ),
    resetForm(context),
  );
}
