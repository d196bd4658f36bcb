import { copyButton } from "./components.ts";
import { type Html, html, renderPage } from "./html.ts";
import { icon, LOGO } from "./icons.ts";
import { connectCard } from "./panes/connect.ts";
import { deliveriesPane } from "./panes/deliveries.ts";
import { faultsPane } from "./panes/faults.ts";
import { header } from "./panes/header.ts";
import { paymentsPane } from "./panes/payments.ts";
import { phonePane, ringingOf } from "./panes/phone.ts";
import { requestsPane } from "./panes/requests.ts";
import { scenesPane } from "./panes/scenes.ts";
import { servicePane } from "./panes/service.ts";
import type { PageContext } from "./view.ts";

const flashMessage = ({ flash }: PageContext): Html =>
  html`<p id="flash" role="status" class="notice ${flash && (flash.rejected ? "bad" : "good")}">${flash?.text ?? ""}</p>`;

/** Shown by the script when the sandbox no longer responds. */
function stoppedNotice({ server: { command } }: PageContext): Html {
  const how =
    command === undefined
      ? html`<p>To start it again, run your program again.</p>`
      : html`<p>To start it again:</p><p><code>${command}</code>${copyButton(command, "the command")}</p>`;
  return html`<div class="notice bad" id="stopped" role="alert" hidden><p><strong>The sandbox has stopped.</strong> This is what it showed last.</p>${how}</div>`;
}

/** Links to the parts of the page. */
function shortcuts(context: PageContext): Html {
  const { payments, deliveries } = context.state;
  const parts = [
    ["phone", "phone", "Phone", ringingOf(context).length],
    ["payments", "coins", "Payments", payments.length],
    ["requests", "list", "Requests", 0],
    ["deliveries", "send", "Webhooks", deliveries.length],
    ["faults", "bolt", "Faults", 0],
  ] as const;
  const link = ([id, shape, name, count]: (typeof parts)[number]) =>
    html`<a href="#${id}">${icon(shape)}${name}${count > 0 && html`<small class="badge">${count > 999 ? "999+" : count}</small>`}</a>`;
  return html`<nav class="shortcuts tabs" aria-label="Parts of the page">${parts.map(link)}</nav>`;
}

/** The whole page, as HTML. */
export function renderSandboxPage(context: PageContext): string {
  const ringing = ringingOf(context).length;
  const title = html`${ringing > 0 && `(${ringing}) `}malipo sandbox`;
  const head = html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO.markup)}">
<script src="/_sandbox/page.js" defer></script>`;
  const body = html`<a class="skip" href="#phone-title">Skip to the phone</a>
<noscript><p class="notice">Without JavaScript this page is not updated automatically. <a href="/">Reload</a></p></noscript>
${stoppedNotice(context)}
<div id="live">
${flashMessage(context)}
${header(context)}
<main>
${phonePane(context)}
${connectCard(context)}
<div class="column stack">${paymentsPane(context)}${requestsPane(context)}${scenesPane(context)}</div>
<div class="column stack">${deliveriesPane(context)}${faultsPane(context)}</div>
${servicePane(context)}
</main>
${shortcuts(context)}
</div>`;
  return renderPage(title, "/_sandbox/page.css", body, head);
}
