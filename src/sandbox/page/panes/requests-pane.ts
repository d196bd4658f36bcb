import { type Html, html } from "../../../html/html.ts";
import type { LoggedExchange } from "../../observe/exchange-log.ts";
import { badge, block, card, copyButton, folded } from "../components.ts";
import { clipped, curl, indented, KEY_HEADER, quoted, timeOf } from "../page-format.ts";
import { list, row } from "../page-list.ts";
import { linkTo, type PageContext } from "../page-view.ts";

// A request and its response, except for the key; JSON is indented, and no other character of it is changed.

const lines = (headers: LoggedExchange["requestHeaders"]) =>
  headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/** The response was made, and did not arrive whole. A response that is only late is not among them. */
const isDamaged = ({ fault = "" }: LoggedExchange) => /lostResponse|truncate/.test(fault);

const isBad = (logged: LoggedExchange): boolean =>
  (logged.status ?? 500) >= 400 || isDamaged(logged);

function statusText(logged: LoggedExchange): string {
  const { status, fault } = logged;
  if (status === undefined) return "no response";
  if (!isDamaged(logged)) return String(status);
  return `${status}, ${fault === "truncate" ? "cut off" : "lost"}`;
}

/** Both, as they were sent. */
function exchangeBlocks(logged: LoggedExchange): Html {
  const { line, requestHeaders, requestBody, status, responseHeaders, responseBody } = logged;
  return html`${block(`${line}\n${lines(requestHeaders)}\n\n${indented(requestBody)}`.trimEnd(), "the request")}
${status === undefined ? html`<p class="hint">No response was sent.</p>` : block(`HTTP ${status}\n${lines(responseHeaders)}\n\n${indented(responseBody)}`, "the response")}`;
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
function copyAsCurl(logged: LoggedExchange, baseUrl: string): Html | undefined {
  const { line, requestHeaders, requestBody } = logged;
  if (requestBody.length > MAX_COPIED_CHARACTERS) return undefined;
  const [method = "", path = ""] = line.split(" ");
  const copied = requestHeaders.filter(([name]) => COPIED.test(name));
  const headers = [KEY_HEADER, ...copied.map(([name, value]) => quoted(`${name}: ${value}`))];
  const command = curl({ method, url: baseUrl + path, headers, body: requestBody });
  return copyButton(command, "the request", "Copy as curl");
}

const statusChoice = (kind: "2xx" | "4xx" | "5xx") =>
  [kind, kind, ({ status }: LoggedExchange) => `${status}`[0] === kind[0]] as const;

const hasFault = ({ fault, status }: LoggedExchange) => fault !== undefined || status === undefined;

const CHOICES = [
  ...(["2xx", "4xx", "5xx"] as const).map(statusChoice),
  ["fault", "With a fault", hasFault] as const,
];

const KEY_KINDS: Readonly<Record<string, string>> = {
  "": "no key",
  pk_: "public key",
  sk_: "secret key",
  sb_: "sandbox key",
};

const headerOf = ({ requestHeaders }: LoggedExchange, header: string): string =>
  requestHeaders.find(([name]) => name.toLowerCase() === header)?.[1] ?? "";

/** The kind of the key that called: one that the sandbox has rejected is none of its keys. */
function keyKind(logged: LoggedExchange): string {
  const bearer = headerOf(logged, "authorization").replace(/^\S+ /, "");
  const key = headerOf(logged, "x-api-key") || bearer;
  const isRejected = key !== "" && logged.status === 401 && logged.fault === undefined;
  return (!isRejected && KEY_KINDS[key.slice(0, 3)]) || "unknown key";
}

/** The error of a response. It may be any text: a fault can replace it. */
function errorIn(logged: LoggedExchange): string | undefined {
  if (!isBad(logged)) return undefined;
  try {
    const { error, message } = JSON.parse(logged.responseBody);
    return clipped(String(error ?? message ?? ""), 160) || undefined;
  } catch {
    return undefined;
  }
}

function detail({ server, view, baseUrl }: PageContext, logged: LoggedExchange): Html {
  const { payment } = logged;
  const account = server.sandboxState.payments.get(payment ?? "")?.account_reference || payment;
  const shown = { payment, payments: "", "payments-only": "", "payments-find": payment };
  return html`${exchangeBlocks(logged)}
<p class="detail-foot line">${copyAsCurl(logged, baseUrl)}${payment !== undefined && html`<a href="${linkTo(view, shown as object, `payment-${payment}`)}">Payment ${account}</a>`}</p>`;
}

function requestRow(context: PageContext, logged: LoggedExchange, isTold: boolean): Html {
  const { id, at, line, fault } = logged;
  const [method, path = ""] = line.split(" ");
  return row(context, {
    entry: ["request", String(id)],
    head: html`<code class="line-code"><span class="method">${method}</span> ${clipped(path, 120)}</code>`,
    state: [isBad(logged) ? "bad" : "plain", undefined, statusText(logged)],
    about: [keyKind(logged), headerOf(logged, "user-agent")],
    at,
    failure: isTold ? undefined : errorIn(logged),
    faults: fault && `fault: ${fault}`,
    detail: () => detail(context, logged),
  });
}

/** What merchants' programs called, and what they got. */
export const requestsPane = (context: PageContext): Html =>
  card(
    "requests",
    "list",
    "Requests",
    undefined,
    list(context, {
      name: "requests",
      items: context.server.log.all().toReversed(),
      choices: CHOICES,
      searched: "Path, body or response",
      searchedText: (one) =>
        `${one.line} ${one.status} ${one.requestBody} ${one.responseBody} ${headerOf(one, "user-agent")}`,
      failureOf: errorIn,
      row: (one, isTold) => requestRow(context, one, isTold),
      empty: "No request yet.",
    }),
  );
