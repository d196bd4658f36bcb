import { byId } from "./dom.ts";
import { refresh } from "./refresh.ts";

let source: EventSource | undefined;

/** What the page knows of the sandbox. `refused`: it runs, but too many pages are open. */
type Connection = "live" | "stopped" | "refused";

const TEXTS: Readonly<Record<Connection, string>> = {
  live: "live",
  stopped: "stopped",
  refused: "not live: reload the page",
};

let connection: Connection = "live";

export const isStopped = (): boolean => connection === "stopped";

function showConnection(now: Connection): void {
  connection = now;
  const place = byId("live-state");
  place.hidden = false;
  place.classList.toggle("lost", now !== "live");
  const text = place.querySelector("[data-live]");
  if (text !== null) text.textContent = TEXTS[now];
  byId("stopped").hidden = now !== "stopped";
  document.documentElement.classList.toggle("stopped", now === "stopped");
  if (now === "stopped") disableControls();
}

/** Nothing can be done now. The first page of a sandbox that is back enables what it enables. */
function disableControls(): void {
  const controls = byId("live").querySelectorAll<HTMLButtonElement>(
    "form :is(button, input, select)",
  );
  for (const control of controls) control.disabled = true;
}

/** Refreshes the page whenever the sandbox says that something changed. */
export function followChanges(): void {
  showConnection("live");
  connect();
  // A browser opens six connections to one host: pages that nobody sees must not hold them.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) disconnect();
    else connect();
  });
}

function connect(): void {
  if (source !== undefined) return;
  const opened = new EventSource("/_sandbox/events");
  source = opened;
  opened.addEventListener("changed", () => void refresh());
  opened.onopen = () => showConnection("live");
  // The browser tries again as long as it has no response, but not after an error response.
  opened.onerror = () =>
    showConnection(opened.readyState === EventSource.CLOSED ? "refused" : "stopped");
}

function disconnect(): void {
  source?.close();
  source = undefined;
}
