import { ASSUMPTIONS } from "../../assumptions.ts";
import type { LoggedExchange } from "../../observe/exchange-log.ts";
import { faultNote, filters, pageOf, pager } from "../components.ts";
import type { PageContext } from "../context.ts";
import { clipped, timeOf } from "../format.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";
import { linkTo } from "../view.ts";
import { copyAsCurl, exchangeBlocks, isBad, statusText } from "./exchange.ts";

const hundreds =
  (first: number) =>
  ({ status = 0 }: LoggedExchange) =>
    Math.floor(status / 100) === first;

/** What the list can be limited to, by the name in the address. */
const RESPONSES: Readonly<Record<string, (one: LoggedExchange) => boolean>> = {
  "": () => true,
  "2xx": hundreds(2),
  "4xx": hundreds(4),
  "5xx": hundreds(5),
  fault: ({ fault, status }) => fault !== undefined || status === undefined,
};

const LABELS: Readonly<Record<string, string>> = { "": "All", fault: "With a fault" };

const KEY_KINDS: Readonly<Record<string, string>> = {
  pk_: "public key",
  sk_: "secret key",
  sb_: "sandbox key",
};

const headerOf = ({ requestHeaders }: LoggedExchange, header: string): string =>
  requestHeaders.find(([name]) => name.toLowerCase() === header)?.[1] ?? "";

/** Who called: the kind of the key, and the program. */
function caller(logged: LoggedExchange): Html {
  const bearer = headerOf(logged, "authorization").replace(/^\S+ /, "");
  const key = headerOf(logged, "x-api-key") || bearer;
  const facts = [
    key === "" ? "no key" : (KEY_KINDS[key.slice(0, 3)] ?? "unknown key"),
    clipped(headerOf(logged, "user-agent"), 40),
  ];
  return html`${facts.filter((fact) => fact !== "").map((fact) => html`<span class="what">${fact}</span>`)}`;
}

/** What an error response says. It may be any text: a fault can replace it. */
function errorIn({ responseBody }: LoggedExchange): string | undefined {
  try {
    const { error, message } = JSON.parse(responseBody);
    return clipped(String(error ?? message ?? ""), 160) || undefined;
  } catch {
    return undefined;
  }
}

function detail({ server, view, address }: PageContext, logged: LoggedExchange): Html {
  const { id, payment } = logged;
  const baseUrl = address + ASSUMPTIONS.address.value.prefix;
  const account = server.sandboxState.payments.get(payment ?? "")?.account_reference || payment;
  return html`<div class="detail" id="request-detail-${id}">
${exchangeBlocks(logged)}
<p class="detail-foot">${copyAsCurl(logged, baseUrl)}${payment !== undefined && html`<a href="${linkTo(view, { payment, payments: 1, status: "", find: payment }, `payment-${payment}`)}">Payment ${account}</a>`}</p>
</div>`;
}

function row(context: PageContext, logged: LoggedExchange): Html {
  const { id, at, line, fault } = logged;
  const { view } = context;
  const open = view.request === String(id);
  const bad = isBad(logged);
  const [method, path = ""] = line.split(" ");
  const error = bad ? errorIn(logged) : undefined;
  const link = linkTo(view, { request: open ? "" : String(id) }, `request-${id}`);
  return html`<li class="row request ${bad ? "bad" : "good"}" id="request-${id}"><a class="row-head" href="${link}" aria-expanded="${String(open)}">
<span class="row-main"><code class="line"><span class="method">${method}</span> ${clipped(path, 120)}</code></span><span class="badge ${bad ? "bad" : "plain"}">${statusText(logged)}</span>
<span class="row-sub">${caller(logged)}</span><time>${timeOf(at)}</time>
${error !== undefined && html`<span class="row-why">${icon("warning")}${error}</span>`}${fault !== undefined && faultNote(`fault: ${fault}`)}</a>
${open && detail(context, logged)}</li>`;
}

/** What merchants' programs called, and what they got. */
export function requestsPane(context: PageContext): Html {
  const { view, log } = context;
  const all = log.all();
  const chosen = RESPONSES[view.responses] ?? (() => true);
  const found = all.filter(chosen).reverse();
  const choices = Object.entries(RESPONSES).map(
    ([value, matches]) => [value, LABELS[value] ?? value, all.filter(matches).length] as const,
  );
  const shown = choices.filter(
    ([value, , count]) => count > 0 || value === view.responses || value === "",
  );
  const empty = all.length === 0 ? "No request yet." : "No request matches.";
  return html`<section class="card" id="requests" aria-labelledby="requests-title">
<div class="card-head"><h2 id="requests-title" tabindex="-1">${icon("list")}Requests</h2></div>
${all.length > 0 && filters(context, { field: "responses", page: "requests", at: "requests", label: "Requests by response", choices: shown })}
${found.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="rows">${pageOf(found, view.requests).map((one) => row(context, one))}</ul>`}
${pager(view, "requests", found.length)}
</section>`;
}
