import { findPaging } from "../../../profile/paging.ts";
import { ROOT } from "../../../profile/paths.ts";
import { endpointKey, type Found, findSuccess } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import { CORS_HEADERS } from "../../exchange/json-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import type { Page, Resource, RouteResult } from "../../exchange/result.ts";
import { ASSUMED_SERIALIZER, viewOf } from "../assumed.ts";
import type { Serializer } from "../serializer.ts";
import { envelopeLookup, pageLookup } from "./envelope.ts";
import { contentTypeLike, headersLike } from "./headers.ts";
import { findKnown, knownFieldsOf } from "./known-values.ts";
import type { Place } from "./shape-tree.ts";
import { shapeInState, type Template, type Templates } from "./templates.ts";
import { choose, type Format } from "./values.ts";
import { type Lookup, write, writeFields } from "./write.ts";

/** What a serializer that was learned is made of. */
export interface Learned {
  readonly profile: ServiceProfile;
  readonly templates: Templates;
  readonly format: Format;
}

type Request = Parameters<Serializer["success"]>[0];

/** A body of a response in the shape of a place: JSON, a page of HTML, or nothing. */
export function toResponse(
  { format }: Learned,
  status: number,
  { response }: Found,
  root: Place,
  content: () => unknown,
): ApiResponse {
  const headers = { ...CORS_HEADERS, ...headersLike(response, format.seed) };
  const [type] = root.types;
  if (type === "empty" || status === 204) return { status, headers, body: "" };
  const isText = type === "text";
  const mediaType = contentTypeLike(response, isText ? "text/html" : "application/json");
  const body = isText
    ? `<!doctype html><html><body><h1>${status}</h1></body></html>`
    : JSON.stringify(content());
  return { status, headers: { "content-type": mediaType, ...headers }, body };
}

/** Writes a record in a shape; as the assumptions have it, if its shape was not seen. */
export function writeRecord(
  { templates, format: general }: Learned,
  resource: Resource,
  record: unknown,
  place: Place | undefined,
  isItem = false,
): unknown {
  if (place === undefined) return viewOf(resource)(record);
  const format = { ...general, seed: `${general.seed} ${idOf(record)}` };
  const fields = knownFieldsOf(resource, record, format);
  const { status } = fields;
  const choices = status?.kind === "choice" ? status.choices : [];
  const { shape, state } = shapeInState(place, templates.shapesOf(resource), (values) =>
    choose(choices, values),
  );
  const lookup: Lookup = (one, within) => {
    const same = templates.repeatedAt(resource, shape, one);
    return findKnown(fields, one, within, { same, resource });
  };
  const fillsNull = resource === "payment" && state === undefined;
  const writer = { lookup, format: { ...format, fillsNull }, state };
  if (shape.types[0] !== "object") return write(shape, writer);
  const body = writeFields(shape, writer);
  const isUnseen = resource === "payment" && !isItem && state === undefined;
  return isUnseen ? { ...unseenFields(record, place), ...body } : body;
}

const FIELDS_BY_STATUS: Readonly<Record<string, readonly string[]>> = {
  failed: ["failure_reason", "user_message", "retry_possible"],
  completed: ["transaction_id", "provider_transaction_id", "provider_reference", "payer_name"],
};

/** The documented fields of a payment in a status that was never seen: they are not left out. */
function unseenFields(record: unknown, { fields }: Place): object {
  const { status = "" } = Object(record) as { status?: string };
  const names = FIELDS_BY_STATUS[status] ?? [];
  if (fields.some(({ name }) => names.includes(name))) return {};
  const view = viewOf("payment")(record) as Record<string, unknown>;
  return Object.fromEntries(names.flatMap((name) => (name in view ? [[name, view[name]]] : [])));
}

const idOf = (record: unknown): string => {
  const { reference, id = "" } = Object(record) as { reference?: string; id?: string };
  return reference ?? id;
};

/** Writes the success of an endpoint as it was learned. */
export function writeSuccess(
  { format, ...rest }: Learned,
  request: Request,
  result: RouteResult,
): ApiResponse {
  const learned = { ...rest, format: { ...format, webhookSecret: request.webhookSecret } };
  const template = learned.templates.of(request.endpoint);
  if (template === undefined) return assumedResponse(learned, request, result);
  const status = template.status ?? ("isNew" in result && result.isNew ? 201 : 200);
  const envelope = envelopeLookup({ status, now: request.now });
  const content =
    "records" in result
      ? () => writeList(learned, template, request, result, envelope)
      : () => writeOne(learned, template, result, envelope);
  return toResponse(learned, status, template.found, template.root, content);
}

/** The assumed response of an endpoint that was not seen, with the headers that every other one has. */
function assumedResponse(
  { profile, format }: Learned,
  request: Request,
  result: RouteResult,
): ApiResponse {
  const assumed = ASSUMED_SERIALIZER.success(request, result);
  const [seen] = Object.keys(profile.endpoints).flatMap(
    (endpoint) => findSuccess(profile, endpoint) ?? [],
  );
  if (seen === undefined) return assumed;
  const { "content-type": type = "application/json" } = assumed.headers;
  const headers = { "content-type": type, ...CORS_HEADERS };
  return { ...assumed, headers: { ...headers, ...headersLike(seen.response, format.seed) } };
}

function writeOne(
  learned: Learned,
  { root, at, inner }: Template,
  { resource, record }: Extract<RouteResult, { record: unknown }>,
  lookup: Lookup,
): unknown {
  const content = () => writeRecord(learned, resource, record, inner);
  if (at === ROOT) return content();
  return write(root, { lookup, format: learned.format, contents: new Map([[at, content]]) });
}

function writeList(
  learned: Learned,
  { root, at, inner }: Template,
  request: Request,
  { resource, records, page }: Extract<RouteResult, { records: unknown }>,
  envelope: Lookup,
): unknown {
  const items = records.map((record) => writeRecord(learned, resource, record, inner, true));
  if (at === ROOT && root.types[0] === "array") return items;
  const paging = listLookup(learned.profile, request, page, items.length);
  const lookup: Lookup = (place, within) => paging(place, within) ?? envelope(place, within);
  return write(root, { lookup, format: learned.format, contents: new Map([[at, () => items]]) });
}

function listLookup(
  profile: ServiceProfile,
  { endpoint, path }: Request,
  page: Page,
  count: number,
): Lookup {
  const { firstPage = 1, parameters } = findPaging(profile, endpointKey(endpoint));
  const { origin, prefix } = ASSUMPTIONS.address.value;
  const address = origin + prefix + path;
  return pageLookup({ page, count, address, firstPage, pageName: parameters.page ?? "page" });
}
