import { type Html, html } from "../../../html/html.ts";
import { isObject } from "../../../internal/is-object.ts";
import { curl, KEY_HEADER } from "../page-format.ts";

// The parts of an OpenAPI 3.1 document that the page shows, without references.

interface Part {
  readonly description?: string;
  readonly "x-undocumented"?: unknown;
}

interface Schema extends Part {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly "x-extensible-enum"?: readonly string[];
}

interface Parameter extends Part {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Body extends Part {
  readonly content?: {
    readonly "application/json"?: { readonly schema?: Schema; readonly example?: unknown };
  };
}

interface Operation extends Part {
  readonly operationId: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly "x-scope"?: string;
  readonly "x-keys"?: readonly string[];
  readonly "x-effect"?: string;
  readonly "x-call"?: string;
}

type Operations = Readonly<Record<string, Operation>>;

export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Operations>>;
  readonly webhooks?: Readonly<Record<string, Operations>>;
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** A document with the target in the place of each reference. What stands beside a reference stays. */
export function withoutReferences(document: object): Document {
  const { components = {} } = document as { components?: Components };
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline);
    if (!isObject(part)) return part;
    const { $ref, ...own } = part;
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref)) ?? [];
    const whole = { ...components[kind]?.[name], ...own };
    return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inline(value)]));
  };
  return inline({ ...document, components: {} }) as Document;
}

/** An operation of the document, and where it is. An event has no method. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Text of the document with its `code`, a paragraph for each part. */
export const paragraphs = (text = ""): Html[] =>
  text
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((part) => html`<p>${inline(part)}</p>`);

const inline = (text: string): Html[] =>
  text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

export const undocumented = (isMarked: unknown): Html | false =>
  Boolean(isMarked) && html` <span class="badge waiting">not documented by the service</span>`;

/** Deeper fields are shown by the example. */
const MAX_DEPTH = 3;

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired?: boolean | undefined;
  /** Where a parameter goes. */
  readonly place?: string;
}

/** The fields of a schema, those of objects inside it with their path: `data.reference`. */
function fieldsOf({ properties = {}, required }: Schema, prefix = "", depth = 1): Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix + key;
    const isList = schema.items?.properties !== undefined;
    const inner = (isList && schema.items) || schema;
    const path = isList ? `${name}[].` : `${name}.`;
    return [
      { name, schema, isRequired: required?.includes(key) },
      ...(depth < MAX_DEPTH ? fieldsOf(inner, path, depth + 1) : []),
    ];
  });
}

const parameterField = ({ name, in: place, required, schema, ...about }: Parameter): Field => ({
  name,
  place: `, in the ${place}`,
  isRequired: required,
  schema: { ...schema, ...about },
});

function typeOf({ type, const: constant, format, items, maxLength }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  const parts = [
    [type ?? ""].flat().join(" or "),
    items?.type === undefined ? "" : ` of ${[items.type].flat().join(" or ")}`,
    format === undefined ? "" : `, ${format}`,
    maxLength === undefined ? "" : `, at most ${maxLength} characters`,
  ];
  return parts.join("");
}

function fieldRow({ name, schema, isRequired, place }: Field): Html {
  const { description = "", "x-extensible-enum": values = [] } = schema;
  return html`<dt><code>${name}</code> ${typeOf(schema)}${place}${isRequired && html` <span class="badge">required</span>`}${undocumented(schema["x-undocumented"])}</dt>
<dd>${inline(description)}${values.length > 0 && html` Values: ${values.map((one, index) => html`${index > 0 && ", "}<code>${one}</code>`)}.`}</dd>`;
}

const fieldList = (fields: readonly Field[]): Html | false =>
  fields.length > 0 && html`<dl class="fields">${fields.map(fieldRow)}</dl>`;

/** An example whose fields are all left out shows nothing. */
const exampleOf = ({ content }: Body = {}) => {
  const { example } = content?.["application/json"] ?? {};
  return JSON.stringify(example) === "{}" ? undefined : example;
};

/** A body with its fields and its example. */
function bodySection(title: string, body: Body): Html {
  const { schema = {} } = body.content?.["application/json"] ?? {};
  const example = exampleOf(body);
  return html`<section><h4>${title}${undocumented(schema["x-undocumented"])}</h4>${paragraphs(body.description)}
${fieldList(fieldsOf(schema))}${example !== undefined && html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`}</section>`;
}

const EFFECTS: Readonly<Record<string, string>> = {
  read: "changes nothing",
  idempotent: "sent twice, it has the effect of once",
  create: "sent twice, it takes effect twice",
};

/** Which key may call, what happens twice, and the method of the client. */
function callList(operation: Operation): Html | false {
  const { "x-keys": keys, "x-scope": scope, "x-effect": effect = "", "x-call": call } = operation;
  if (keys === undefined) return false;
  return html`<dl class="fields"><dt>Keys</dt><dd>${keys.join(", ")}</dd>
<dt>Scope</dt><dd>${scope ?? "not documented"}</dd>
<dt>Effect</dt><dd>${effect}: ${EFFECTS[effect]}</dd>
<dt>In TypeScript</dt><dd><code>${call}</code></dd></dl>`;
}

/** Values for the names in a path. */
const PATH_VALUES: Readonly<Record<string, string>> = {
  reference: "PAY-7Q3ZKX9M2B4T",
  invoice: "INV-0001",
  number: "0712345678",
  name: "before-payday",
};

function command(baseUrl: string, { method, path, operation }: DocumentedOperation): string {
  const example = exampleOf(operation.requestBody);
  return curl({
    method: method.toUpperCase(),
    url: baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => PATH_VALUES[name] ?? "ID"),
    headers: [
      ...(operation["x-keys"] === undefined ? [] : [KEY_HEADER]),
      ...(example === undefined ? [] : ['"Content-Type: application/json"']),
    ],
    body: example === undefined ? undefined : JSON.stringify(example),
  });
}

const STATUSES: Readonly<Record<string, string>> = {
  "2XX": "Response",
  default: "Any other response",
};

/** The method and the path of an operation, or the kind of an event. */
export const placeName = ({ method, path }: DocumentedOperation): Html =>
  html`${method !== "" && html`<span class="method">${method.toUpperCase()}</span> `}<code>${path}</code>`;

export function operationArticle(baseUrl: string, place: DocumentedOperation): Html {
  const { operationId: id, summary, description, ...operation } = place.operation;
  const { parameters = [], requestBody, responses } = operation;
  const isEvent = place.method === "";
  return html`<article class="card" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${placeName(place)}${isEvent && undocumented(operation["x-undocumented"])}</h3>
${!isEvent && html`<p><strong>${inline(summary)}</strong></p>`}${paragraphs(description)}
${callList(place.operation)}
${parameters.length > 0 && html`<section><h4>Parameters</h4>${fieldList(parameters.map(parameterField))}</section>`}
${requestBody && bodySection("Body", requestBody)}
${!isEvent && html`<section><h4>Try it</h4><pre><code>${command(baseUrl, place)}</code></pre></section>`}
${Object.entries(responses).map(([status, body]) => bodySection(STATUSES[status] ?? `${isEvent ? "Your response" : "Response"} ${status}`, body))}
</article>`;
}
