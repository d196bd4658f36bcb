import { type Html, html } from "../page/html.ts";
import { undocumented } from "./fields.ts";
import type { Document, Place } from "./openapi.ts";
import { eventArticle, operationArticle } from "./operation.ts";
import { paragraphs } from "./text.ts";

/** The two documents that a served sandbox has. */
export type DocumentName = "service" | "control";

const LINKS: Readonly<Record<DocumentName, { path: string; title: string; file: string }>> = {
  service: { path: "/docs", title: "The service", file: "/openapi.json" },
  control: {
    path: "/docs/control",
    title: "The control API",
    file: "/_sandbox/api/openapi.json",
  },
};

/** What has to be known before the first request. */
const INTROS: Readonly<Record<DocumentName, Html>> = {
  service: html`<p>The service documents only a part of its interface. What it does not document is marked ${undocumented(true)}, and shown as the sandbox does it: the service may differ.</p>
<h2 id="key">Key</h2><p>Send an API key in the header <code>X-API-Key</code>, or as <code>Authorization: Bearer</code>. The commands below take it from <code>MALIPO_API_KEY</code>. To set it to a key of this sandbox:</p><pre><code>eval "$(npx malipo env)"</code></pre>
<h2 id="errors">Errors</h2><p>An error response has <code>success: false</code> and the reason in <code>error</code>. The service does not document its status codes. This sandbox uses: 400 for invalid JSON, 401 for a missing or unknown key, 403 for the wrong kind of key or a missing scope, 404 for an unknown path or id, 405 for a wrong method, 413 for a large body, 422 for an invalid field.</p>`,
  control: html`<h2 id="key">No key</h2><p>These requests drive the sandbox itself, from any language. They need no key, and only programs and pages of this machine may send them.</p>`,
};

const placesOf = ({ paths }: Document): Place[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );

/** The operations by their first tag; by the first part of the path where there are no tags. */
function groupsOf(document: Document): [title: string, places: Place[]][] {
  const groups = new Map<string, Place[]>();
  for (const place of placesOf(document)) {
    const title = place.operation.tags?.[0] ?? place.path.split("/")[1] ?? "";
    groups.set(title, [...(groups.get(title) ?? []), place]);
  }
  return [...groups];
}

const anchor = (title: string) => `part-${title.replace(/\W+/g, "-").toLowerCase()}`;

const eventsOf = ({ webhooks = {} }: Document) =>
  Object.entries(webhooks).flatMap(([kind, { post }]) => (post ? [[kind, post] as const] : []));

function navigation(document: Document): Html {
  const operationLink = ({ method, path, operation }: Place) =>
    html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${path}</a></li>`;
  const events = eventsOf(document);
  return html`<nav aria-label="Operations">${groupsOf(document).map(([title, places]) => html`<p>${title}</p><ul>${places.map(operationLink)}</ul>`)}
${events.length > 0 && html`<p>Events</p><ul>${events.map(([kind, { operationId }]) => html`<li><a href="#${operationId}">${kind}</a></li>`)}</ul>`}</nav>`;
}

function sections(document: Document): Html {
  const events = eventsOf(document);
  return html`${groupsOf(document).map(([title, places]) => html`<section aria-labelledby="${anchor(title)}"><h2 id="${anchor(title)}">${title}</h2>${places.map((place) => operationArticle(document, place))}</section>`)}
${events.length > 0 && html`<section aria-labelledby="part-events"><h2 id="part-events">Events</h2><p>The service posts these to every receiver that is registered for them, and again until it gets a 200. Verify the signature before you use one.</p>${events.map(([kind, operation]) => eventArticle(document, kind, operation))}</section>`}`;
}

/** Without what is about the JSON of the document only: the page shows it in other words. */
const forReaders = (description: string) =>
  description
    .split("\n\n")
    .filter((part) => !part.includes("`x-"))
    .join("\n\n");

/** An OpenAPI document as a page. It needs no script and nothing from elsewhere. */
export function renderDocument(document: Document, name: DocumentName): string {
  const { title, description = "" } = document.info;
  const links = Object.entries(LINKS).map(
    ([key, link]) =>
      html`<li><a href="${link.path}"${key === name && html` aria-current="page"`}>${link.title}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><p class="brand"><a href="/">malipo sandbox</a></p><nav aria-label="Documents"><ul>${links}<li><a href="${LINKS[name].file}">OpenAPI (JSON)</a></li></ul></nav></header>
<div class="columns">
${navigation(document)}
<main id="content"><h1>${title}</h1>${paragraphs(forReaders(description))}
<p>Base URL: <code>${document.servers[0]?.url}</code></p>
${INTROS[name]}
${sections(document)}
</main>
</div>
</body>
</html>`.markup;
}
