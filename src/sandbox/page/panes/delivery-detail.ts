import { machineTime } from "../../clock/machine.ts";
import type { DeliveryAttempt, StoredDelivery } from "../../state/records.ts";
import { block, copyButton, form } from "../components.ts";
import type { PageContext } from "../context.ts";
import { type FailureReason, findFailureReason } from "../failure-reason.ts";
import { quoted, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

/** Why the last attempt failed; `undefined` if it did not, or if there is none. */
export function lastFailure(
  { server }: PageContext,
  { attempts, responses, url, body, chaos }: StoredDelivery,
): FailureReason | undefined {
  const last = attempts.at(-1);
  if (last === undefined || last.status === 200) return undefined;
  const { timestamp = "" } = JSON.parse(body) as { timestamp?: string };
  const signedAt = Date.parse(timestamp);
  return findFailureReason({
    ...last,
    chaos: [...(last.chaos ?? []), ...(chaos?.faults ?? [])],
    response: responses?.[attempts.length - 1] ?? "",
    url,
    ageMs: machineTime() - signedAt,
    sinceEventMs: Date.parse(last.at) - signedAt,
    clock: server.clock,
  });
}

function attemptRow({ at, status, error, latencyMs, chaos }: DeliveryAttempt, index: number): Html {
  const good = status === 200;
  return html`<tr class="${good ? "good" : "bad"}"><th scope="row">${index + 1}</th><td><time>${timeOf(Date.parse(at))}</time></td><td>${icon(good ? "check" : "cross")}${status ?? error}${chaos !== undefined && html` <small>chaos: ${chaos.join(", ")}</small>`}</td><td class="number">${latencyMs} ms</td></tr>`;
}

/** The request, which is the same at every attempt. */
function rawRequest({ id, url, body, signature }: StoredDelivery): string {
  const { pathname, search, host } = new URL(url);
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    "content-type: application/json",
    `x-service-signature: ${signature}`,
    `x-sandbox-delivery: ${id}`,
    "",
    body,
  ].join("\n");
}

/** Everything about one delivery. */
export function deliveryDetail(context: PageContext, delivery: StoredDelivery): Html {
  const { id, attempts, responses, body, signature, url } = delivery;
  const reason = lastFailure(context, delivery);
  const response = responses?.[attempts.length - 1];
  const secret = context.server.sandboxState.state.webhookSecret;
  const signCommand = `printf %s ${quoted(body)} | openssl dgst -sha256 -hmac ${quoted(secret)}`;
  return html`<div class="detail" id="delivery-detail-${id}">
${reason && html`<div class="reason" role="note">${icon("warning")}<div><strong>${reason.title}</strong><p>${reason.advice}</p></div></div>`}
<p class="target">To <code>${url}</code></p>
${attempts.length === 0 ? html`<p class="hint">No attempt has finished yet.</p>` : html`<table><caption class="unseen">Attempts</caption><thead><tr><th scope="col"><span class="unseen">Attempt</span>#</th><th scope="col">Sent</th><th scope="col">Response</th><th scope="col" class="number">Duration</th></tr></thead><tbody>${attempts.map(attemptRow)}</tbody></table>`}
${form({ action: "deliveries/resend", context, at: `delivery-${id}` }, html`<input type="hidden" name="id" value="${id}"><button class="primary">${icon("send")}Send again</button>`)}
${response !== undefined && html`<h3>Response body</h3>${block(response, "the response body")}`}
<h3>Signature</h3>
<p class="signature"><code>${signature}</code>${copyButton(signature, "the signature")}</p>
<details class="raw" id="raw-${id}"><summary>Raw request<small>${new TextEncoder().encode(body).length} bytes of body</small></summary>${block(rawRequest(delivery), "the raw request")}</details>
<details class="raw" id="hand-${id}"><summary>Check the signature by hand</summary>${block(signCommand, "a command that signs the body")}</details>
</div>`;
}
