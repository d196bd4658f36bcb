import type { LoggedExchange } from "../../observe/exchange-log.ts";
import { card } from "../components.ts";
import { clipped } from "../format.ts";
import { type Html, html } from "../html.ts";
import { list, row } from "../list.ts";
import { linkTo, type PageContext } from "../view.ts";
import { copyAsCurl, exchangeBlocks, isBad, statusText } from "./exchange.ts";

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

/** The kind of the key that called. */
function keyKind(logged: LoggedExchange): string {
  const bearer = headerOf(logged, "authorization").replace(/^\S+ /, "");
  const key = headerOf(logged, "x-api-key") || bearer;
  return KEY_KINDS[key.slice(0, 3)] ?? "unknown key";
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

function requestRow(context: PageContext, logged: LoggedExchange): Html {
  const { id, at, line, fault } = logged;
  const [method, path = ""] = line.split(" ");
  return row(context, {
    entry: ["request", String(id)],
    head: html`<code class="line-code"><span class="method">${method}</span> ${clipped(path, 120)}</code>`,
    state: [isBad(logged) ? "bad" : "plain", undefined, statusText(logged)],
    about: [keyKind(logged), headerOf(logged, "user-agent")],
    at,
    failure: errorIn(logged),
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
      textOf: (one) =>
        `${one.line} ${one.status} ${one.requestBody} ${one.responseBody} ${headerOf(one, "user-agent")}`,
      failureOf: errorIn,
      row: (one) => requestRow(context, one),
      empty: "No request yet.",
    }),
  );
