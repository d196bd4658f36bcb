import { restartCountdowns } from "./countdown.ts";
import { morph } from "./morph.ts";

/** An element that every page has. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element with the id "${id}".`);
  return element;
}

let running = false;
let requested = false;

/** Loads the page again, and shows what changed. One that is asked for meanwhile comes after it. */
export async function refresh(): Promise<void> {
  requested = true;
  if (running) return;
  running = true;
  while (requested) {
    requested = false;
    try {
      const response = await fetch(`/${location.search}`);
      if (response.ok) show(await response.text());
    } catch {
      // The sandbox has stopped. The event stream reports it.
    }
  }
  running = false;
}

/** Shows a page that the server rendered. */
export function show(markup: string): void {
  const next = new DOMParser().parseFromString(markup, "text/html");
  const live = next.getElementById("live");
  if (live === null) return;
  const pane = document.activeElement?.closest("section[id]");
  morph(byId("live"), live);
  document.title = next.title;
  restartCountdowns();
  // What had the focus may be gone: its pane takes it, so that the keyboard stays in its place.
  if (pane && document.activeElement === document.body) {
    const heading = pane.querySelector<HTMLElement>("h2[tabindex]") ?? byId("phone-title");
    heading.focus({ preventScroll: true });
  }
}

/** Goes to another view of the page without loading a new one. */
export function goTo(address: string | URL): void {
  history.pushState(null, "", address);
  void refresh();
}
