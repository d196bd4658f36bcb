import { ASSUMPTIONS } from "../../assumptions.ts";
import { block, copyButton, folded, form } from "../components.ts";
import { curl, quoted } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";
import { payForm } from "./pay-form.ts";
import { registerForm } from "./webhooks.ts";

const EXAMPLE = { amount: 1500, phone: "0712345678", account_reference: "ORDER-42" };

const curlLines = (baseUrl: string, key: string) =>
  curl({
    method: "POST",
    url: `${baseUrl}/mobile-money/payment/initiate`,
    headers: [`X-API-Key: ${key}`, "Content-Type: application/json"].map(quoted),
    body: JSON.stringify(EXAMPLE),
  });

const typescriptLines = (baseUrl: string, key: string) =>
  [
    `import { Gateway } from "malipo";`,
    "",
    "const gateway = new Gateway({",
    `  apiKey: ${JSON.stringify(key)},`,
    `  baseUrl: ${JSON.stringify(baseUrl)},`,
    "});",
    "const payment = await gateway.mobileMoney.collect({",
    `  amount: ${EXAMPLE.amount},`,
    `  phone: ${JSON.stringify(EXAMPLE.phone)},`,
    `  account_reference: ${JSON.stringify(EXAMPLE.account_reference)},`,
    "});",
    'console.log(payment.status); // "completed" after the customer pays',
  ].join("\n");

const setting = (name: string, variable: string, value: string): Html =>
  html`<div class="setting"><dt>${name}<code>${variable}</code></dt><dd><code>${value}</code>${copyButton(value, name)}</dd></div>`;

/** What an application needs to know about this gateway. */
function settings(context: PageContext): Html {
  const { server, address } = context;
  const { keys, webhookSecret, webhookSecrets } = server.sandbox;
  const baseUrl = address + ASSUMPTIONS.address.value.prefix;
  const env = `MALIPO_BASE_URL=${baseUrl}\nMALIPO_API_KEY=${keys.secret}\nMALIPO_WEBHOOK_SECRET=${webhookSecret}\n`;
  return html`<dl class="settings">
${setting("Base URL", "MALIPO_BASE_URL", baseUrl)}
${setting("Secret key", "MALIPO_API_KEY", keys.secret)}
${setting("Public key", "read-only", keys.public)}
${setting("Sandbox key", "can do everything", keys.sandbox)}
${setting("Webhook secret", "MALIPO_WEBHOOK_SECRET", webhookSecret)}
${webhookSecrets.slice(1).map((secret) => setting("Rotated secret", "accept this one too", secret))}
</dl>
<div class="as-env">${form(
    { action: "keys/revoke", context, at: "connect" },
    html`<button class="quiet">Revoke the secret key</button>`,
  )}${copyButton(env, "the settings", "Copy as .env")}${folded("as-env", "The same as .env", block(env, "the settings as .env"), undefined, "more nojs")}</div>`;
}

function snippets({ server, address }: PageContext): Html {
  const baseUrl = address + ASSUMPTIONS.address.value.prefix;
  const key = server.sandbox.keys.secret;
  return html`${block(curlLines(baseUrl, key), "the curl command", "code")}
${folded("in-typescript", "The same in TypeScript", block(typescriptLines(baseUrl, key), "the TypeScript lines", "code"))}
<p class="hint">In another language: read <a href="/docs">the API page</a>, or start from <a href="/openapi.json">the service as OpenAPI</a>.</p>`;
}

/** What to do first, shown until the first payment. */
function firstSteps(context: PageContext): Html {
  const place = { context, action: "pay", at: "connect" } as const;
  return html`<section class="card welcome" id="connect" aria-labelledby="connect-title">
<h2 id="connect-title">Make your first payment</h2>
<p class="lead">This is a whole mobile-money gateway, on your machine. No account, no tunnel, no real money.</p>
<ol class="steps-list">
<li><h3>Start a payment</h3><p>Paste this in a terminal:</p>${snippets(context)}
${folded("pay-here", "Or start one right here", payForm(place), place)}</li>
<li><h3>Be the customer</h3><p>The phone rings. Enter any four digits to pay, or cancel, or let it time out.</p></li>
<li><h3>Receive webhooks</h3><p>Register your receiver. Every event is delivered to it, signed and retried.</p>${registerForm(context, "connect")}</li>
<li><h3>Connect your application</h3>${settings(context)}</li>
</ol>
</section>`;
}

/** How to reach this gateway: folded once there is a payment. */
export function connectCard(context: PageContext): Html {
  if (context.server.sandboxState.state.payments.length === 0) return firstSteps(context);
  return html`<section class="card connect" id="connect" aria-label="Connection">
${folded(
  "connect-details",
  html`${icon("plug")}<h2>Connect your application</h2><small>base URL, keys, webhook secret, a first payment to paste</small>`,
  html`${settings(context)}<h3>A first payment</h3>${snippets(context)}`,
  undefined,
  "",
)}
</section>`;
}
