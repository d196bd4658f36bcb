import { byId, refresh } from "./refresh.ts";

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
export function followChanges(): void {
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
