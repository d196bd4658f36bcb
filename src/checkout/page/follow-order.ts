// The script of the pay page. Without it, the page works by itself: see pay-page.ts.

const main = () => document.querySelector("main") as HTMLElement;

/** Puts the page as it is now into the place of the one that is shown. */
async function renew(): Promise<void> {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = next.querySelector("main");
  if (content === null) return;
  main().replaceWith(content);
  document.title = next.title;
  // So that a screen reader reads what has become of the payment.
  content.querySelector<HTMLElement>("h1")?.focus();
  begin();
}

/** Renews the page when the order changes. A connection that breaks is opened again by the browser. */
function follow(shown: string): void {
  const stream = new EventSource(location.pathname);
  stream.onmessage = ({ data }) => {
    const { status, final } = JSON.parse(data);
    if (!final && status === shown) return;
    stream.close();
    renew().catch(() => location.reload());
  };
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 10_000);
  };
}

function begin(): void {
  const { status } = main().dataset;
  if (status === "pending") follow(status);
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
