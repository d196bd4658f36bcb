import { MORPH } from "./morph.ts";

// The page's one script. It adds comfort to a page that works without it: it follows what happens,
// sends forms without leaving, counts down, copies, and types on the drawn PIN pad.
const MAIN = `
const root = document.documentElement;
root.classList.add("js");
const live = document.getElementById("live");
const said = document.getElementById("said");

let clear;
function say(text, good) {
  clearTimeout(clear);
  said.textContent = text;
  said.className = good ? "good" : "bad";
  if (text) clear = setTimeout(() => { said.textContent = ""; }, 7000);
}
if (said.textContent) say(said.textContent, said.classList.contains("good"));

let busy = false;
let again = false;
async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const response = await fetch("/" + location.search, { headers: { accept: "text/html" } });
    if (response.ok) {
      const next = new DOMParser().parseFromString(await response.text(), "text/html");
      const pane = document.activeElement && document.activeElement.closest("section[id]");
      morph(live, next.getElementById("live"));
      document.title = next.title;
      received = performance.now();
      settle();
      // What had the focus may be gone: its pane takes it, so that the keyboard stays where it was.
      if (pane && document.activeElement === document.body) {
        const heading = pane.querySelector("h2[tabindex]") || document.getElementById("phone-title");
        heading.focus({ preventScroll: true });
      }
    }
  } catch {
    // The sandbox has stopped; its events say so.
  }
  busy = false;
  if (again) { again = false; refresh(); }
}

let source;
let state = "live";
function settle() {
  const place = document.getElementById("live-state");
  place.hidden = false;
  place.classList.toggle("lost", state !== "live");
  place.querySelector("[data-live]").textContent = state;
  tick();
}
function follow() {
  if (source) return;
  source = new EventSource("/_sandbox/events");
  source.addEventListener("changed", refresh);
  source.onopen = () => { state = "live"; settle(); };
  source.onerror = () => { state = "the sandbox has stopped"; settle(); };
}
// A browser opens six connections to one host: pages that nobody sees must not hold them.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    source.close();
    source = undefined;
  } else {
    follow();
  }
});

let received = performance.now();
const two = (number) => String(number).padStart(2, "0");
function tick() {
  const passed = performance.now() - received;
  for (const one of document.querySelectorAll("[data-left]")) {
    const left = Math.max(0, one.dataset.left - passed);
    one.querySelector(".left").setAttribute("stroke-dasharray", Math.round(left / one.dataset.life * 100) + " 100");
    one.querySelector("[data-seconds]").textContent = Math.ceil(left / 1000) + " s";
    one.classList.toggle("late", left < 10000);
  }
  const now = document.querySelector("[data-now]");
  if (!now) return;
  const at = new Date(Number(now.dataset.now) + passed + 3 * 3600000);
  const short = two(at.getUTCHours()) + ":" + two(at.getUTCMinutes());
  for (const one of document.querySelectorAll("[data-clock]")) {
    one.textContent = one.dataset.clock === "long" ? short + ":" + two(at.getUTCSeconds()) : short;
  }
}
setInterval(tick, 250);

function go(query) {
  history.pushState(null, "", "/" + (query ? "?" + query : ""));
  return refresh();
}
addEventListener("popstate", refresh);

document.addEventListener("submit", async (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.method === "get") {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of new FormData(form)) query.set(name, value);
    query.delete("note");
    form.reset();
    await go(query.toString());
    return;
  }
  if (form.dataset.busy) return;
  form.dataset.busy = "yes";
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    const answer = await response.json();
    say(answer.success ? answer.said : answer.error, answer.success);
    if (answer.success) {
      form.reset();
      await go(answer.view);
    }
  } catch {
    say("The sandbox does not answer.", false);
  }
  delete form.dataset.busy;
});

document.addEventListener("click", async (event) => {
  const key = event.target.closest("[data-key]");
  if (key) {
    const field = key.form.elements.pin;
    field.value = key.dataset.key === "back" ? field.value.slice(0, -1) : (field.value + key.dataset.key).slice(0, 4);
    return;
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    let text = "Copied";
    try { await navigator.clipboard.writeText(copy.dataset.copy); } catch { text = "Select it by hand"; }
    const label = copy.querySelector("span");
    label.textContent = text;
    copy.classList.add("done");
    setTimeout(() => { label.textContent = "Copy"; copy.classList.remove("done"); }, 1500);
    return;
  }
  const link = event.target.closest('a[href^="/?"]');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button) return;
  event.preventDefault();
  await go(new URL(link.href).search.slice(1));
});

settle();
follow();
`;

export const SCRIPT: string = `(() => {\n"use strict";\n${MORPH}${MAIN}})();\n`;
