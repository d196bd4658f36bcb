// The page's script. It adds comfort to a page that works without it: it follows what happens, sends
// forms without leaving the page, shows in a form what is wrong with it, counts down, copies, and types
// on the drawn PIN pad.
import { byId, goTo, refresh, show, startCountdowns } from "./page-refresh.ts";

let source: EventSource | undefined;

/** Whether the sandbox responds. `busy`: it runs, but too many pages are open. */
const TEXTS = { live: "live", stopped: "stopped", busy: "not live: reload the page" } as const;

function showConnection(now: keyof typeof TEXTS): void {
  const isStopped = now === "stopped";
  byId("live-state").hidden = false;
  byId("live-state").classList.toggle("bad", now !== "live");
  byId("live-text").textContent = TEXTS[now];
  byId("stopped").hidden = !isStopped;
  // Nothing can be done now. The first page of a sandbox that is back enables what it enables.
  const controls = "form :is(button, input, select)";
  for (const control of byId("live").querySelectorAll<HTMLButtonElement>(controls)) {
    if (isStopped) control.disabled = true;
  }
}

/** Refreshes the page whenever something changed in the sandbox. */
function followChanges(): void {
  showConnection("live");
  connect();
  // A browser opens six connections to one host: hidden pages must not hold them.
  document.addEventListener("visibilitychange", () => {
    source?.close();
    if (!document.hidden) connect();
  });
}

function connect(): void {
  const opened = new EventSource("/_sandbox/events");
  source = opened;
  opened.addEventListener("changed", () => void refresh());
  opened.onopen = () => showConnection("live");
  // The browser tries again as long as it has no response, but not after an error response.
  opened.onerror = () =>
    showConnection(opened.readyState === EventSource.CLOSED ? "busy" : "stopped");
}

const COPIED_MS = 1_500;
const PIN_DIGITS = 4;

/** Acts on clicks on the PIN pad, on copy buttons and on links to other views. */
function handleClicks(): void {
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest("button");
    if (button?.dataset.key !== undefined) typePinKey(button, button.dataset.key);
    if (button?.dataset.copy !== undefined) void copyText(button, button.dataset.copy);
    const link = event.target.closest<HTMLAnchorElement>('a[href^="/?"]');
    if (link === null || opensElsewhere(event)) return;
    event.preventDefault();
    // A sandbox that has stopped shows no other view.
    if (byId("stopped").hidden) goTo(link.href);
  });
  // A PIN has only digits, from the keyboard too.
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== "pin") return;
    const digits = digitsOf(target.value);
    if (digits !== target.value) target.value = digits;
  });
}

const digitsOf = (text: string) => text.replace(/\D/g, "").slice(0, PIN_DIGITS);

/** Types a key of the drawn PIN pad. */
function typePinKey(button: HTMLButtonElement, key: string): void {
  const field = button.form?.elements.namedItem("pin");
  if (!(field instanceof HTMLInputElement)) return;
  field.value = key === "back" ? field.value.slice(0, -1) : digitsOf(field.value + key);
}

async function copyText(button: HTMLElement, copied: string): Promise<void> {
  const label = button.querySelector("span");
  if (label === null || button.classList.contains("done")) return;
  const text = label.textContent;
  try {
    await navigator.clipboard.writeText(copied);
    label.textContent = "Copied";
  } catch {
    label.textContent = "Select it by hand";
  }
  button.classList.add("done");
  setTimeout(() => {
    label.textContent = text;
    button.classList.remove("done");
  }, COPIED_MS);
}

/** Whether the browser opens the link in another tab or window, or saves it. */
const opensElsewhere = ({ metaKey, ctrlKey, shiftKey, altKey, button }: MouseEvent) =>
  metaKey || ctrlKey || shiftKey || altKey || button !== 0;

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
function interceptForms(): void {
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

document.documentElement.classList.add("js");
startCountdowns();
interceptForms();
handleClicks();
addEventListener("popstate", () => void refresh());
followChanges();
