import { machineTime } from "../../clock/machine.ts";
import type { DeliveryAttempt, StoredDelivery } from "../../state/records.ts";
import { quoted, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import type { Shown } from "../page.ts";
import { block, copyButton, form } from "../pieces.ts";
import { type Reason, reasonOf } from "../reasons.ts";

/** Why the last attempt was refused; `undefined` where it was not, or none was made. */
export function refusalOf(
  { host }: Shown,
  { attempts, responses: answers, url, body, chaos }: StoredDelivery,
): Reason | undefined {
  const last = attempts.at(-1);
  if (last === undefined || last.status === 200) return undefined;
  const { timestamp = "" } = JSON.parse(body) as { timestamp?: string };
  const signedAt = Date.parse(timestamp);
  return reasonOf({
    ...last,
    chaos: [...(last.chaos ?? []), ...(chaos?.faults ?? [])],
    answer: answers?.[attempts.length - 1] ?? "",
    url,
    ageMs: machineTime() - signedAt,
    heldMs: Date.parse(last.at) - signedAt,
    clock: host.clock,
  });
}

function attemptRow({ at, status, error, latencyMs, chaos }: DeliveryAttempt, index: number): Html {
  const good = status === 200;
  return html`<tr class="${good ? "good" : "bad"}"><th scope="row">${index + 1}</th><td><time>${timeOf(Date.parse(at))}</time></td><td>${icon(good ? "check" : "cross")}${status ?? error}${chaos !== undefined && html` <small>chaos: ${chaos.join(", ")}</small>`}</td><td class="number">${latencyMs} ms</td></tr>`;
}

/** The request as it goes out, at every attempt alike. */
function wire({ id, url, body, signature }: StoredDelivery): string {
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

/** All of one delivery. */
export function deliveryDetail(shown: Shown, delivery: StoredDelivery): Html {
  const { id, attempts, responses: answers, body, signature, url } = delivery;
  const reason = refusalOf(shown, delivery);
  const answer = answers?.[attempts.length - 1];
  const secret = shown.host.world.state.webhookSecret;
  const byHand = `printf %s ${quoted(body)} | openssl dgst -sha256 -hmac ${quoted(secret)}`;
  return html`<div class="detail" id="delivery-detail-${id}">
${reason && html`<div class="reason" role="note">${icon("warning")}<div><strong>${reason.title}</strong><p>${reason.advice}</p></div></div>`}
<p class="target">To <code>${url}</code></p>
${attempts.length === 0 ? html`<p class="hint">No attempt has ended yet.</p>` : html`<table><caption class="unseen">Attempts</caption><thead><tr><th scope="col"><span class="unseen">Attempt</span>#</th><th scope="col">Sent</th><th scope="col">Answer</th><th scope="col" class="number">Took</th></tr></thead><tbody>${attempts.map(attemptRow)}</tbody></table>`}
${form({ action: "deliveries/resend", view: shown.view, at: `delivery-${id}` }, html`<input type="hidden" name="id" value="${id}"><button class="primary">${icon("send")}Send again</button>`)}
${answer !== undefined && html`<h3>What the receiver wrote</h3>${block(answer, "what the receiver wrote")}`}
<h3>Signature</h3>
<p class="signature"><code>${signature}</code>${copyButton(signature, "the signature")}</p>
<details class="raw" id="raw-${id}"><summary>Raw request<small>${new TextEncoder().encode(body).length} bytes of body</small></summary>${block(wire(delivery), "the raw request")}</details>
<details class="raw" id="hand-${id}"><summary>Check the signature by hand</summary>${block(byHand, "a command that signs the body")}</details>
</div>`;
}
