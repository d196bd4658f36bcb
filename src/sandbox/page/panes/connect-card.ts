import { type Html, html } from "../../../html/html.ts";
import { block, button, copyable, copyButton, folded, foldedCard, terms } from "../components.ts";
import { curl, quoted } from "../page-format.ts";
import type { PageContext } from "../page-view.ts";
import { registerForm } from "./deliveries-pane.ts";
import { payForm } from "./payments-pane.ts";

const EXAMPLE = { amount: 1500, phone: "0712345678", account_reference: "ORDER-42" };

const curlLines = (baseUrl: string, key: string) =>
  curl({
    method: "POST",
    url: `${baseUrl}/mobile-money/payment/initiate`,
    headers: [`X-API-Key: ${key}`, "Content-Type: application/json"].map(quoted),
    body: JSON.stringify(EXAMPLE),
  });

const typescriptLines = (baseUrl: string, key: string) => `import { Gateway } from "malipo";

const gateway = new Gateway({
  apiKey: ${JSON.stringify(key)},
  baseUrl: ${JSON.stringify(baseUrl)},
});
const payment = await gateway.mobileMoney.collect({
  amount: ${EXAMPLE.amount},
  phone: ${JSON.stringify(EXAMPLE.phone)},
  account_reference: ${JSON.stringify(EXAMPLE.account_reference)},
});
console.log(payment.status); // "completed" after the customer pays`;

const setting = (name: string, variable: string, value: string) =>
  [html`${name} <code>${variable}</code>`, copyable(value, name)] as const;

/** What an application needs to know about this gateway. */
function settings(context: PageContext): Html {
  const { baseUrl, server } = context;
  const { keys, webhookSecret, webhookSecrets } = server.sandbox;
  const env = `MALIPO_BASE_URL=${baseUrl}\nMALIPO_API_KEY=${keys.secret}\nMALIPO_WEBHOOK_SECRET=${webhookSecret}\n`;
  const rows = [
    setting("Base URL", "MALIPO_BASE_URL", baseUrl),
    setting("Secret key", "MALIPO_API_KEY", keys.secret),
    setting("Public key", "read-only", keys.public),
    setting("Sandbox key", "can do everything", keys.sandbox),
    setting("Webhook secret", "MALIPO_WEBHOOK_SECRET", webhookSecret),
    ...webhookSecrets
      .slice(1)
      .map((secret) => setting("Rotated secret", "accept this one too", secret)),
  ];
  return html`${terms("settings", rows)}
<div class="line">${button(context, "connect", "keys/revoke", "Revoke the secret key")}${copyButton(env, "the settings", "Copy as .env")}${folded("as-env", "The same as .env", block(env, "the settings as .env"), "more nojs")}</div>`;
}

function snippets(context: PageContext): Html {
  const given = [context.baseUrl, context.server.sandbox.keys.secret] as const;
  const typescript = block(typescriptLines(...given), "the TypeScript lines", "code");
  return html`${block(curlLines(...given), "the curl command", "code")}
${folded("in-typescript", "The same in TypeScript", typescript)}
<p class="hint">In another language: read <a href="/docs">the API page</a>, or start from <a href="/openapi.json">the service as OpenAPI</a>.</p>`;
}

/** What to do first, shown until the first payment. */
function firstSteps(context: PageContext): Html {
  const place = { context, action: "pay", at: "connect" } as const;
  return html`<section class="card welcome" id="connect" aria-labelledby="connect-title">
<h2 id="connect-title">Make your first payment</h2>
<p>This is a whole mobile-money gateway, on your machine. No account, no tunnel, no real money.</p>
<ol class="steps-list stack">
<li><h3>Start a payment</h3><p>Paste this in a terminal:</p>${snippets(context)}
${folded("pay-here", "Or start one right here", payForm(place), "more", place)}</li>
<li><h3>Be the customer</h3><p>The phone rings. Enter any four digits to pay, or cancel, or let it time out.</p></li>
<li><h3>Receive webhooks</h3><p>Register your receiver. Every event is delivered to it, signed and retried.</p>${registerForm(context, "connect")}</li>
<li><h3>Connect your application</h3>${settings(context)}</li>
</ol>
</section>`;
}

/** How to reach this gateway: folded once there is a payment. */
export const connectCard = (context: PageContext): Html =>
  context.state.payments.length === 0
    ? firstSteps(context)
    : foldedCard(
        "connect",
        "plug",
        "Connect your application",
        "base URL, keys, webhook secret, a first payment to paste",
        html`${settings(context)}<h3>A first payment</h3>${snippets(context)}`,
      );
