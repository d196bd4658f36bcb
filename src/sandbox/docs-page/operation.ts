import { type Html, html } from "../page/html.ts";
import { curlOf } from "./curl.ts";
import { parameterFields, schemaFields, undocumented } from "./fields.ts";
import { type Body, type Document, type Operation, type Place, resolve } from "./openapi.ts";
import { inline, json, paragraphs } from "./text.ts";

const EFFECTS: Readonly<Record<string, string>> = {
  read: "changes nothing",
  idempotent: "sent twice, it has the effect of once",
  create: "sent twice, it takes effect twice",
};

function facts(operation: Operation): Html | false {
  const { "x-keys": keys, "x-scope": scope, "x-effect": effect = "", "x-call": call } = operation;
  if (keys === undefined) return false;
  const rows: [string, Html | string][] = [
    ["Keys", keys.join(", ")],
    ["Scope", scope === undefined ? "not documented" : html`<code>${scope}</code>`],
    ["Effect", `${effect}: ${EFFECTS[effect]}`],
    ["In TypeScript", html`<code>${call}</code>`],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A body with its fields and its example. */
function body(document: Document, title: string | Html, given: Body): Html {
  const { description = "", content } = resolve(document, given);
  const { schema, example } = content?.["application/json"] ?? {};
  return html`<section><h4>${title}${undocumented(schema?.["x-undocumented"])}</h4>${paragraphs(description)}
${schemaFields(document, schema)}${example !== undefined && json(example)}</section>`;
}

const STATUSES: Readonly<Record<string, string>> = {
  "2XX": "Response",
  default: "Any other response",
};

export function operationArticle(document: Document, place: Place): Html {
  const { method, path, operation } = place;
  const { operationId: id, summary, description = "", parameters = [], requestBody } = operation;
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p class="summary">${inline(summary)}</p>${paragraphs(description)}
${facts(operation)}
${parameters.length > 0 && html`<section><h4>Parameters</h4>${parameterFields(document, parameters)}</section>`}
${requestBody && body(document, "Request body", requestBody)}
<section><h4>Try it</h4><pre><code>${curlOf(document, place)}</code></pre></section>
${Object.entries(operation.responses).map(([status, one]) => body(document, STATUSES[status] ?? html`Response ${status}`, one))}
</article>`;
}

/** What the service sends to a receiver. */
export function eventArticle(document: Document, kind: string, operation: Operation): Html {
  const { operationId: id, description = "", parameters = [], requestBody } = operation;
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><code>${kind}</code>${undocumented(operation["x-undocumented"])}</h3>${paragraphs(description)}
<section><h4>Header</h4>${parameterFields(document, parameters)}</section>
${requestBody && body(document, "Body", requestBody)}
${Object.entries(operation.responses).map(([status, one]) => body(document, html`Your response: ${status}`, one))}
</article>`;
}
