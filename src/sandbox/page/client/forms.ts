import { showFlash } from "./flash.ts";
import { clearFormError, showFormError } from "./form-error.ts";
import { goTo } from "./refresh.ts";

/** What the server returns for an action that the script sends. */
type ActionResponse =
  | { readonly success: true; readonly message: string; readonly view: string }
  | { readonly success: false; readonly error: string };

/** Sends forms without leaving the page. */
export function interceptForms(): void {
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    if (event.target.method === "get") void changeView(event.target);
    else void runAction(event.target, event.submitter);
  });
}

/** The fields of a form as pairs of text. The page has no field for files. */
const fieldsOf = (form: HTMLFormElement, submitter?: HTMLElement | null) =>
  [...new FormData(form, submitter)].map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);

function changeView(form: HTMLFormElement): Promise<void> {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of fieldsOf(form)) query.set(name, value);
  query.delete("flash");
  form.reset();
  return goTo(query.toString());
}

async function runAction(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // A second click must not act twice.
  if (form.dataset.busy !== undefined) return;
  form.dataset.busy = "yes";
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(fieldsOf(form, submitter)),
      headers: { accept: "application/json" },
    });
    const result: ActionResponse = await response.json();
    if (result.success) {
      clearFormError(form);
      showFlash(result.message, true);
      form.reset();
      await goTo(result.view);
    } else if (!showFormError(form, result.error)) {
      showFlash(result.error, false);
    }
  } catch {
    showFlash("The sandbox does not respond.", false);
  }
  delete form.dataset.busy;
}
