import { byId, goTo, refresh, show } from "./refresh.ts";

const SHOWN_MS = 7_000;

const ERROR = "[data-error]:not(:empty)";

/** The address names the message of the last action. Without it, the page has no message. */
function dropMessage(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has("flash")) return;
  address.searchParams.delete("flash");
  history.replaceState(null, "", address);
  void refresh();
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** A message goes after a few seconds. The error of a form stays until it is corrected. */
function dropMessageLater(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (document.querySelector(ERROR) === null) dropMessage();
  }, SHOWN_MS);
}

/** Sends forms without leaving the page. */
export function interceptForms(): void {
  dropMessageLater();
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    if (event.target.method === "get") changeView(event.target);
    else void send(event.target, event.submitter);
  });
  document.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.form?.querySelector(ERROR)) dropMessage();
  });
}

/** The fields of a form as pairs of text. The page has no field for files. */
const fieldsOf = (form: HTMLFormElement, submitter?: HTMLElement | null) =>
  [...new FormData(form, submitter)].map(([name, value]) => [name, String(value)]);

function changeView(form: HTMLFormElement): void {
  const address = new URL(location.href);
  for (const [name = "", value = ""] of fieldsOf(form)) address.searchParams.set(name, value);
  address.searchParams.delete("flash");
  form.reset();
  goTo(address);
}

const busy = new WeakSet<HTMLFormElement>();

/** The server leads to the page that shows what the form did, or why it was rejected. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // A second click must not act twice.
  if (busy.has(form)) return;
  busy.add(form);
  try {
    const body = new URLSearchParams(fieldsOf(form, submitter));
    const action = submitter?.getAttribute("formaction") ?? form.action;
    const response = await fetch(action, { method: "POST", body });
    if (response.ok) showResult(form, response.url, await response.text());
    else byId("flash").textContent = await response.text();
  } catch {
    // The sandbox has stopped. The event stream reports it.
  } finally {
    busy.delete(form);
  }
}

function showResult(form: HTMLFormElement, address: string, page: string): void {
  dropMessage();
  history.pushState(null, "", address);
  show(page);
  form.reset();
  document.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  dropMessageLater();
  // A page that was under way before may come now.
  void refresh();
}
