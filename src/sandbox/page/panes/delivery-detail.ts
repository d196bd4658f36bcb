import type { DeliveryAttempt } from "../../state/records.ts";
import type { StoredDelivery } from "../../state/stored.ts";
import { badge, block, button, copyButton, folded } from "../components.ts";
import type { FailureReason } from "../failure-reason.ts";
import { curl, quoted, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { PageContext } from "../view.ts";

function attemptRow({ at, status, error, latencyMs, chaos }: DeliveryAttempt, index: number): Html {
  const result =
    status === 200 ? badge("good", "check", status) : badge("bad", "cross", status ?? error);
  return html`<tr><th scope="row">${index + 1}</th><td><time>${timeOf(Date.parse(at))}</time></td><td>${result}${chaos !== undefined && html` <small>chaos: ${chaos.join(", ")}</small>`}</td><td class="number">${latencyMs} ms</td></tr>`;
}

const attemptTable = (attempts: readonly DeliveryAttempt[]): Html =>
  html`<table><caption class="unseen">Attempts</caption><thead><tr><th scope="col"><span class="unseen">Attempt</span>#</th><th scope="col">Sent</th><th scope="col">Response</th><th scope="col" class="number">Duration</th></tr></thead><tbody>${attempts.map(attemptRow)}</tbody></table>`;

/** The headers of the request, which is the same at every attempt. */
const headersOf = ({ id, signature }: StoredDelivery) => [
  "content-type: application/json",
  `x-service-signature: ${signature}`,
  `x-sandbox-delivery: ${id}`,
];

function rawRequest(delivery: StoredDelivery): string {
  const { pathname, search, host } = new URL(delivery.url);
  const first = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
  return [...first, ...headersOf(delivery), "", delivery.body].join("\n");
}

/** Everything about one delivery. */
export function deliveryDetail(
  context: PageContext,
  delivery: StoredDelivery,
  reason: FailureReason | undefined,
): Html {
  const { id, attempts, responses, body, signature, url } = delivery;
  const response = responses?.[attempts.length - 1];
  const secret = context.state.webhookSecret;
  const signCommand = `printf %s ${quoted(body)} | openssl dgst -sha256 -hmac ${quoted(secret)}`;
  const command = curl({ method: "POST", url, headers: headersOf(delivery).map(quoted), body });
  const resend = button(
    context,
    `delivery-${id}`,
    "deliveries/resend",
    html`${icon("send")}Send again`,
    { hidden: { id }, name: "primary" },
  );
  return html`${reason && html`<div class="reason" role="note">${icon("warning")}<div><strong>${reason.title}</strong><p>${reason.advice}</p></div></div>`}
<p class="hint">To <code>${url}</code></p>
${attempts.length === 0 ? html`<p class="hint">No attempt has finished yet.</p>` : attemptTable(attempts)}
<div class="detail-foot line">${resend}${copyButton(command, "the delivery", "Copy as curl")}</div>
${response !== undefined && html`<h3>Response body</h3>${block(response, "the response body")}`}
<h3>Signature</h3>
<p class="signature line"><code>${signature}</code>${copyButton(signature, "the signature")}</p>
${folded(`raw-${id}`, html`Raw request<small>${new TextEncoder().encode(body).length} bytes of body</small>`, block(rawRequest(delivery), "the raw request"), "raw")}
${folded(`hand-${id}`, "Check the signature by hand", block(signCommand, "a command that signs the body"), "raw")}`;
}
