import { byId } from "./dom.ts";
import { refresh } from "./refresh.ts";

let source: EventSource | undefined;

function showConnection(connected: boolean): void {
  const place = byId("live-state");
  place.hidden = false;
  place.classList.toggle("lost", !connected);
  const text = place.querySelector("[data-live]");
  if (text !== null) text.textContent = connected ? "live" : "the sandbox has stopped";
}

/** Refreshes the page whenever the sandbox says that something changed. */
export function followChanges(): void {
  showConnection(true);
  connect();
  // A browser opens six connections to one host: pages that nobody sees must not hold them.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) disconnect();
    else connect();
  });
}

function connect(): void {
  if (source !== undefined) return;
  source = new EventSource("/_sandbox/events");
  source.addEventListener("changed", () => void refresh());
  source.onopen = () => showConnection(true);
  source.onerror = () => showConnection(false);
}

function disconnect(): void {
  source?.close();
  source = undefined;
}
