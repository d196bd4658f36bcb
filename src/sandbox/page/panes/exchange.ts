import type { LoggedExchange } from "../../observe/exchange-log.ts";
import { badge, block, copyButton, folded } from "../components.ts";
import { curl, KEY_HEADER, quoted, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";

// A request and its response, byte for byte except for the key.

const lines = (headers: LoggedExchange["requestHeaders"]) =>
  headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/** The response was made, and did not arrive whole. A response that is only late is not among them. */
const isDamaged = ({ fault = "" }: LoggedExchange) => /lostResponse|truncate/.test(fault);

export const isBad = (logged: LoggedExchange): boolean =>
  (logged.status ?? 500) >= 400 || isDamaged(logged);

export function statusText(logged: LoggedExchange): string {
  const { status, fault } = logged;
  if (status === undefined) return "no response";
  if (!isDamaged(logged)) return String(status);
  return `${status}, ${fault === "truncate" ? "cut off" : "lost"}`;
}

/** Both, as they were sent. */
export function exchangeBlocks(logged: LoggedExchange): Html {
  const { line, requestHeaders, requestBody, status, responseHeaders, responseBody } = logged;
  return html`${block(`${line}\n${lines(requestHeaders)}\n\n${requestBody}`.trimEnd(), "the request")}
${status === undefined ? html`<p class="hint">No response was sent.</p>` : block(`HTTP ${status}\n${lines(responseHeaders)}\n\n${responseBody}`, "the response")}`;
}

/** Both, folded under their first line. */
export function foldedExchange(logged: LoggedExchange): Html {
  const { id, at, line, fault } = logged;
  const status = badge(
    isBad(logged) ? "bad" : "plain",
    undefined,
    html`${statusText(logged)}${fault !== undefined && ` fault: ${fault}`}`,
  );
  const summary = html`<code>${line}</code>${status}<time>${timeOf(at)}</time>`;
  return folded(`payment-request-${id}`, summary, exchangeBlocks(logged), "raw");
}

/** Headers that change what a request does. A client sets all others itself. */
const COPIED = /^(content-type|idempotency-key|x-(?!api-key).*)$/i;
/** A longer body was cut in the log. */
const MAX_COPIED_CHARACTERS = 8_192;

/** A button that copies the request as a command for a shell. The log does not have the key. */
export function copyAsCurl(logged: LoggedExchange, baseUrl: string): Html | undefined {
  const { line, requestHeaders, requestBody } = logged;
  if (requestBody.length > MAX_COPIED_CHARACTERS) return undefined;
  const [method = "", path = ""] = line.split(" ");
  const copied = requestHeaders.filter(([name]) => COPIED.test(name));
  const headers = [KEY_HEADER, ...copied.map(([name, value]) => quoted(`${name}: ${value}`))];
  const command = curl({ method, url: baseUrl + path, headers, body: requestBody });
  return copyButton(command, "the request", "Copy as curl");
}
