import { byId } from "./dom.ts";

const SHOWN_MS = 7_000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows the message of an action for a few seconds. */
export function showFlash(text: string, good: boolean): void {
  const place = byId("flash");
  clearTimeout(timer);
  place.textContent = text;
  place.className = good ? "good" : "bad";
  timer = setTimeout(() => {
    place.textContent = "";
  }, SHOWN_MS);
}

/** The message that came with the page goes after the same time. */
export function expireFirstFlash(): void {
  const { textContent, classList } = byId("flash");
  if (textContent) showFlash(textContent, classList.contains("good"));
}
