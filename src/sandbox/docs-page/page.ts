import { renderPage } from "../page/document.ts";
import { type Html, html } from "../page/html.ts";
import { type Document, withoutReferences } from "./openapi.ts";
import { operationArticle, type Place, paragraphs, placeName, undocumented } from "./operation.ts";

/** The two documents that a served sandbox has. */
export type DocumentName = "service" | "control";

/** What has to be known before the first request, and where the document is. */
const DOCUMENTS: Readonly<
  Record<DocumentName, { path: string; title: string; file: string; intro: Html }>
> = {
  service: {
    path: "/docs",
    title: "The service",
    file: "/openapi.json",
    intro: html`<p>The service documents only a part of its interface. What it does not document is marked ${undocumented(true)}, and shown as the sandbox does it: the service may differ.</p>
<h2 id="key">Key</h2><p>Send an API key in the header <code>X-API-Key</code>, or as <code>Authorization: Bearer</code>. The commands below take it from <code>MALIPO_API_KEY</code>. To set it to a key of this sandbox:</p><pre><code>eval "$(npx malipo env)"</code></pre>
<h2 id="errors">Errors</h2><p>An error response has <code>success: false</code> and the reason in <code>error</code>. The service does not document its status codes. This sandbox uses: 400 for invalid JSON, 401 for a missing or unknown key, 403 for the wrong kind of key or a missing scope, 404 for an unknown path or id, 405 for a wrong method, 413 for a large body, 422 for an invalid field.</p>`,
  },
  control: {
    path: "/docs/control",
    title: "The control API",
    file: "/_sandbox/api/openapi.json",
    intro: html`<h2 id="key">No key</h2><p>These requests drive the sandbox itself, from any language. They need no key, and only programs and pages of this machine may send them.</p>`,
  },
};

const EVENTS = "Events";

/** The operations by their first tag, or else by the first part of the path; then the events. */
function groupsOf({ paths, webhooks = {} }: Document): [title: string, places: Place[]][] {
  const groups = new Map<string, Place[]>();
  const add = (title: string, place: Place) =>
    groups.set(title, [...(groups.get(title) ?? []), place]);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      add(operation.tags?.[0] ?? path.split("/")[1] ?? "", { method, path, operation });
    }
  }
  for (const [path, { post }] of Object.entries(webhooks)) {
    if (post !== undefined) add(EVENTS, { method: "", path, operation: post });
  }
  return [...groups];
}

/** Without what is about the JSON of the document only: the page shows it in other words. */
const forReaders = (description = "") =>
  description
    .split("\n\n")
    .filter((part) => !part.includes("`x-"))
    .join("\n\n");

/** An OpenAPI document as a page. It needs no script and nothing from elsewhere. */
export function renderDocument(given: object, name: DocumentName): string {
  const document = withoutReferences(given);
  const { title, description } = document.info;
  const groups = groupsOf(document);
  const baseUrl = document.servers[0]?.url ?? "";
  const anchor = (group: string) => `part-${group.replace(/\W+/g, "-").toLowerCase()}`;
  const pageLink = ([key, { path, title: text }]: [string, { path: string; title: string }]) =>
    html`<li><a href="${path}"${key === name && html` aria-current="page"`}>${text}</a></li>`;
  const operationLink = (place: Place) =>
    html`<li><a href="#${place.operation.operationId}">${placeName(place)}</a></li>`;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<header class="line"><p><a href="/">malipo sandbox</a></p><nav aria-label="Documents"><ul class="line">${Object.entries(DOCUMENTS).map(pageLink)}<li><a href="${DOCUMENTS[name].file}">OpenAPI (JSON)</a></li></ul></nav></header>
<div class="columns">
<nav aria-label="Operations">${groups.map(([group, places]) => html`<p>${group}</p><ul>${places.map(operationLink)}</ul>`)}</nav>
<main id="content"><h1>${title}</h1>${paragraphs(forReaders(description))}
<p>Base URL: <code>${baseUrl}</code></p>
${DOCUMENTS[name].intro}
${groups.map(
  ([group, places]) =>
    html`<section aria-labelledby="${anchor(group)}"><h2 id="${anchor(group)}">${group}</h2>
${group === EVENTS && html`<p>The service posts these to every receiver that is registered for them, and again until it gets a 200. Verify the signature before you use one.</p>`}
${places.map((place) => operationArticle(baseUrl, place))}</section>`,
)}
</main>
</div>`;
  return renderPage(title, "/docs/style.css", body);
}
