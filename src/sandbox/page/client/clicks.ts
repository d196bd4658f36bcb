import { byId, goTo } from "./refresh.ts";

const COPIED_MS = 1_500;
const PIN_DIGITS = 4;

/** Acts on clicks on the PIN pad, on copy buttons and on links to other views. */
export function handleClicks(): void {
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
