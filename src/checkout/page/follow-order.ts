// The script of the pay page. Without it, the page works by itself: see pay-page.ts.

const main = () => document.querySelector("main") as HTMLElement;

/** An order that stays pending may be shown in another way, of which the stream of events says nothing. */
const LOOK_MS = 10_000;
let looking: ReturnType<typeof setTimeout> | undefined;
let stream: EventSource | undefined;

/** Puts the page as it is now into the place of the one that is shown. */
async function renew(): Promise<void> {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = next.querySelector("main");
  if (content === null || !response.ok) return look();
  if (content.innerHTML === main().innerHTML) return look();
  main().replaceWith(content);
  document.title = next.title;
  // So that a screen reader reads what has become of the payment.
  content.querySelector<HTMLElement>("h1")?.focus();
  begin();
}

function look(): void {
  clearTimeout(looking);
  looking = setTimeout(() => renew().catch(look), LOOK_MS);
}

/** Renews the page when the order changes. A connection that breaks is opened again by the browser. */
function follow(shown: string): void {
  const source = new EventSource(location.pathname);
  stream = source;
  source.onmessage = ({ data }) => {
    const { status, final } = JSON.parse(data);
    if (!final && status === shown) return;
    source.close();
    renew().catch(() => location.reload());
  };
  look();
}

function begin(): void {
  clearTimeout(looking);
  stream?.close();
  const { status, goods } = main().dataset;
  if (status === "pending") follow(status);
  // The shop may still refuse the money.
  if (goods === "due") look();
  const print = document.querySelector<HTMLElement>("[data-print]");
  if (print !== null) {
    print.hidden = false;
    print.onclick = () => window.print();
  }
  const form = document.querySelector("form");
  form?.addEventListener("submit", () => {
    // A second click must not send a second form. It goes on while the button is disabled.
    setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
    });
  });
}

begin();
// A page that the browser kept is shown as it was before.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
