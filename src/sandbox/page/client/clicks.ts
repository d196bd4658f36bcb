import { isStopped } from "./connection.ts";
import { closestTo } from "./dom.ts";
import { typePinKey } from "./pin.ts";
import { goTo } from "./refresh.ts";

const COPIED_MS = 1_500;

/** Acts on clicks on the PIN pad, on copy buttons and on links to other views. */
export function handleClicks(): void {
  document.addEventListener("click", (event) => {
    const key = closestTo(event, "[data-key]");
    if (key instanceof HTMLButtonElement) {
      typePinKey(key);
      return;
    }
    const copy = closestTo(event, "[data-copy]");
    if (copy !== null) {
      void copyText(copy);
      return;
    }
    const link = closestTo(event, 'a[href^="/?"]');
    if (!(link instanceof HTMLAnchorElement) || opensElsewhere(event)) return;
    event.preventDefault();
    if (isStopped()) return;
    void goTo(new URL(link.href).search.slice(1));
  });
}

async function copyText(button: HTMLElement): Promise<void> {
  const label = button.querySelector("span");
  if (label === null || button.classList.contains("done")) return;
  const text = label.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
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
