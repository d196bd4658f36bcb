const UPDATE_MS = 250;
/** Below this, a countdown is shown in another colour. */
const LATE_MS = 10_000;

/** When the page that is shown came from the server. Its times are counted on from here. */
let receivedAt = performance.now();

/** Starts counting again from the times of a page that has just come. */
function restartCountdowns(): void {
  receivedAt = performance.now();
  updateTimes();
}

/** Counts prompts down, and the clock up, if the sandbox runs in real time. */
export function startCountdowns(): void {
  setInterval(updateTimes, UPDATE_MS);
}

function updateTimes(): void {
  const passedMs = performance.now() - receivedAt;
  for (const countdown of document.querySelectorAll<HTMLElement>("[data-left]")) {
    updateCountdown(countdown, passedMs);
  }
  const now = document.querySelector<HTMLElement>("[data-now]")?.dataset.now;
  if (now !== undefined) updateClocks(Number(now) + passedMs);
}

function updateCountdown(countdown: HTMLElement, passedMs: number): void {
  const leftMs = Math.max(0, Number(countdown.dataset.left) - passedMs);
  const percent = Math.round((leftMs / Number(countdown.dataset.life)) * 100);
  countdown.querySelector(".left")?.setAttribute("stroke-dasharray", `${percent} 100`);
  const seconds = countdown.querySelector("[data-seconds]");
  if (seconds !== null) seconds.textContent = `${Math.ceil(leftMs / 1000)} s`;
  countdown.classList.toggle("late", leftMs < LATE_MS);
}

function updateClocks(nowMs: number): void {
  const time = new Date(nowMs).toLocaleTimeString("en-GB", { timeZone: "Africa/Nairobi" });
  for (const clock of document.querySelectorAll<HTMLElement>("[data-clock]")) {
    clock.textContent = clock.dataset.clock === "long" ? time : time.slice(0, 5);
  }
}

// Changes what is on the page into what it should be, and leaves alone what is the same: the focus,
// what is typed and the scroll position stay.

const isSameKind = (one: Node, other: Node) =>
  one.nodeName === other.nodeName && (one as Element).id === (other as Element).id;

/** Changes `from` into a copy of `to`. Elements with `data-local` belong to the script. */
function morph(from: Node, to: Node): void {
  if (!(from instanceof Element && to instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
  } else if (!from.hasAttribute("data-local")) {
    morphAttributes(from, to);
    morphChildren(from, to);
  }
}

function morphAttributes(from: Element, to: Element): void {
  // Which details are open is known only here.
  const isLocal = (name: string) => name === "open" && from instanceof HTMLDetailsElement;
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isLocal(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !isLocal(name)) from.setAttribute(name, value);
  }
}

function morphChildren(from: Element, to: Element): void {
  const left = new Set<ChildNode>(from.childNodes);
  const wanted = [...to.childNodes].map((node) => {
    const same = [...left].find((child) => isSameKind(child, node));
    if (same === undefined) return document.importNode(node, true);
    left.delete(same);
    morph(same, node);
    return same;
  });
  // What the new page no longer has goes first, so that what stays is not moved: moving an element
  // takes the focus from it.
  for (const node of left) node.remove();
  let next = from.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else from.insertBefore(node, next);
  }
}

/** An element that every page has. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element with the id "${id}".`);
  return element;
}

let running = false;
let requested = false;

/** Loads the page again, and shows what changed. A load that is asked for meanwhile comes after it. */
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
