import { byId } from "./dom.ts";
import { goTo } from "./refresh.ts";

const SHOWN_MS = 7_000;

let flashTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows the message of an action for a few seconds. */
function showFlash(text: string, good: boolean): void {
  const place = byId("flash");
  clearTimeout(flashTimer);
  place.textContent = text;
  place.className = good ? "good" : "bad";
  flashTimer = setTimeout(() => {
    place.textContent = "";
  }, SHOWN_MS);
}

/** Shows in a form why it was rejected, and leads to the field. Returns false if it has no place for it. */
function showFormError(form: HTMLFormElement, error: string): boolean {
  const place = form.querySelector("[data-error]");
  if (place === null) return false;
  clearFormError(form);
  place.textContent = error;
  const fields = [...form.querySelectorAll<HTMLInputElement>("input:not([type=hidden])")];
  // The field that the error names, or else the only one.
  const named = fields.find(({ name }) => new RegExp(`\\b${name}\\b`).test(error));
  const field = named ?? (fields.length === 1 ? fields[0] : undefined);
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
  return true;
}

function clearFormError(form: HTMLFormElement): void {
  form.querySelector("[data-error]")?.replaceChildren();
  form.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
}

/** What the server returns for an action that the script sends. */
type ActionResponse =
  | { readonly success: true; readonly message: string; readonly view: string }
  | { readonly success: false; readonly error: string };

/** Sends forms without leaving the page. */
export function interceptForms(): void {
  // The message that came with the page goes after the same time.
  const { textContent, classList } = byId("flash");
  if (textContent) showFlash(textContent, classList.contains("good"));
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    if (event.target.method === "get") void changeView(event.target);
    else void runAction(event.target, event.submitter);
  });
  // What is being corrected is no longer wrong.
  document.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.form !== null) clearFormError(target.form);
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
    const response = await fetch(submitter?.getAttribute("formaction") ?? form.action, {
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
