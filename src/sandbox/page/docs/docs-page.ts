import { type Html, html, renderPage } from "../../../html/html.ts";
import { openApiDocument } from "../../../openapi/openapi-document.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import { CONTROL_PREFIX } from "../../control/commands.ts";
import { controlDocument } from "../../control/control-document.ts";
import { json, type OwnResponse } from "../../http/respond.ts";
import {
  type Document,
  type DocumentedOperation,
  operationArticle,
  paragraphs,
  placeName,
  undocumented,
  withoutReferences,
} from "./docs-operations.ts";

interface DocumentPage {
  readonly title: string;
  /** The address of the document as JSON. */
  readonly file: string;
  /** `origin` is the address that the reader used. */
  readonly document: (origin: string) => object;
  /** What has to be known before the first request. */
  readonly intro: Html;
}

/** The pages of a served sandbox's documents, by their paths. */
const PAGES = {
  "/docs": {
    title: "The service",
    file: "/openapi.json",
    document: (origin) => openApiDocument(origin + ASSUMPTIONS.address.value.prefix),
    intro: html`<p>The service documents only a part of its interface. What it does not document is marked ${undocumented(true)}, and shown as the sandbox does it: the service may differ.</p>
<h2 id="key">Key</h2><p>Send an API key in the header <code>X-API-Key</code>, or as <code>Authorization: Bearer</code>. The commands below take it from <code>MALIPO_API_KEY</code>. To set it to a key of this sandbox:</p><pre><code>eval "$(npx malipo env)"</code></pre>
<h2 id="errors">Errors</h2><p>An error response has <code>success: false</code> and the reason in <code>error</code>. The service does not document its status codes. This sandbox uses: 400 for invalid JSON, 401 for a missing or unknown key, 403 for the wrong kind of key or a missing scope, 404 for an unknown path or id, 405 for a wrong method, 413 for a large body, 422 for an invalid field.</p>`,
  },
  "/docs/control": {
    title: "The control API",
    file: `${CONTROL_PREFIX}/openapi.json`,
    document: (origin) => ({ ...controlDocument(), servers: [{ url: origin + CONTROL_PREFIX }] }),
    intro: html`<h2 id="key">No key</h2><p>These requests drive the sandbox itself, from any language. They need no key, and only programs and pages of this machine may send them.</p>`,
  },
} as const satisfies Record<string, DocumentPage>;

type PagePath = keyof typeof PAGES;

const isPage = (path: string): path is PagePath => Object.hasOwn(PAGES, path);

const EVENTS = "Events";

/** The operations by their first tag, or else by the first part of the path; then the events. */
function groupsOf({
  paths,
  webhooks = {},
}: Document): [title: string, places: DocumentedOperation[]][] {
  const groups = new Map<string, DocumentedOperation[]>();
  const add = (title: string, place: DocumentedOperation) =>
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
export function renderDocument(given: object, path: PagePath): string {
  const { file, intro } = PAGES[path];
  const document = withoutReferences(given);
  const { title, description } = document.info;
  const groups = groupsOf(document);
  const baseUrl = document.servers[0]?.url ?? "";
  const anchor = (group: string) => `part-${group.replace(/\W+/g, "-").toLowerCase()}`;
  const pageLink = ([to, page]: [string, DocumentPage]) =>
    html`<li><a href="${to}"${to === path && html` aria-current="page"`}>${page.title}</a></li>`;
  const operationLink = (place: DocumentedOperation) =>
    html`<li><a href="#${place.operation.operationId}">${placeName(place)}</a></li>`;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<header class="line between"><p><a href="/">malipo sandbox</a></p><nav aria-label="Documents"><ul class="line">${Object.entries(PAGES).map(pageLink)}<li><a href="${file}">OpenAPI (JSON)</a></li></ul></nav></header>
<div class="columns">
<nav aria-label="Operations">${groups.map(([group, places]) => html`<p>${group}</p><ul>${places.map(operationLink)}</ul>`)}</nav>
<main id="content"><h1>${title}</h1>${paragraphs(forReaders(description))}
<p>Base URL: <code>${baseUrl}</code></p>
${intro}
${groups.map(
  ([group, places]) =>
    html`<section aria-labelledby="${anchor(group)}"><h2 id="${anchor(group)}">${group}</h2>
${group === EVENTS && html`<p>The service posts these to every receiver that is registered for them, and again until it gets a 200. Verify the signature before you use one.</p>`}
${places.map((place) => operationArticle(baseUrl, place))}</section>`,
)}
</main>
</div>`;
  return renderPage({ title, style: "/docs/style.css", body });
}

/** A document, as a page or as JSON, for a reader who uses this origin. */
export function documentAt(path: string, origin: string): OwnResponse | undefined {
  if (path === PAGES["/docs"].file) return json(PAGES["/docs"].document(origin));
  if (!isPage(path)) return undefined;
  return { type: "text/html", body: renderDocument(PAGES[path].document(origin), path) };
}
