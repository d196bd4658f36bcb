import { FIELDS_BY_STATUS } from "../../../profile/compare-shapes.ts";
import { ROOT } from "../../../profile/paths.ts";
import { findPlace, type Place } from "../../../profile/place.ts";
import { type Found, findSuccess } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { isStatusName } from "../../../profile/vocabulary/names.ts";
import { CORS_HEADERS } from "../../exchange/json-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import type { Resource, RouteResult } from "../../exchange/result.ts";
import { ASSUMED_SERIALIZER, viewOf } from "../assumed.ts";
import { envelopeLookup, pageLookup, type SuccessRequest } from "./envelope.ts";
import { headersLike } from "./headers.ts";
import { findKnown, knownFieldsOf } from "./known-values.ts";
import type { Template, Templates } from "./templates.ts";
import { choose, type Format, type Known } from "./values.ts";
import { type Lookup, write, writeFields } from "./write.ts";

/** What a serializer that was learned is made of. */
export interface Learned {
  readonly profile: ServiceProfile;
  readonly templates: Templates;
  readonly format: Format;
}

/** A body of a response in the shape of a place: JSON, a page of HTML, or nothing. */
export function toResponse(
  { format }: Learned,
  { status, response }: Found,
  root: Place,
  content: () => unknown,
): ApiResponse {
  const headers = { ...CORS_HEADERS, ...headersLike(response, format.seed) };
  const [type] = root.types;
  if (type === "empty" || status === 204) return { status, headers, body: "" };
  const isText = type === "text";
  const fallback = isText ? "text/html" : "application/json";
  const contentType = response.headers["content-type"]?.values?.[0] ?? fallback;
  const body = isText
    ? `<!doctype html><html><body><h1>${status}</h1></body></html>`
    : JSON.stringify(content());
  return { status, headers: { "content-type": contentType, ...headers }, body };
}

/** Writes a record in a shape; as the assumptions have it, if its shape was not seen. */
export function writeRecord(
  { format: general }: Learned,
  resource: Resource,
  record: unknown,
  place: Place | undefined,
  isItem = false,
): unknown {
  if (place === undefined) return viewOf(resource)(record);
  const { reference, id = "" } = Object(record) as { reference?: string; id?: string };
  const format = { ...general, seed: `${general.seed} ${reference ?? id}` };
  const fields = knownFieldsOf(resource, record, format);
  const state = stateOf(place, fields.status);
  const isUnseen = resource === "payment" && state === undefined;
  const lookup: Lookup = (one) => findKnown(fields, one, resource);
  const writer = { lookup, format: { ...format, fillsNull: isUnseen }, state };
  if (place.types[0] !== "object") return write(place, writer);
  const body = writeFields(place, writer);
  return isUnseen && !isItem ? { ...unseenFields(record, place), ...body } : body;
}

/** The status of a record under the name of the service. `undefined`: it was never seen. */
function stateOf(place: Place, status: Known | undefined) {
  const seen = findPlace(place, ({ values, name }) => values.length > 0 && isStatusName(name));
  const states = seen?.values.map((value) => value.toLowerCase()) ?? [];
  const state = choose(status && "oneOf" in status ? status.oneOf : [], states);
  return states.includes(state) ? state : undefined;
}

/** The documented fields of a payment in a status that was never seen: they are not left out. */
function unseenFields(record: unknown, { fields }: Place): object {
  const names = FIELDS_BY_STATUS[(Object(record) as { status?: string }).status ?? ""] ?? [];
  if (fields.some(({ name }) => names.includes(name))) return {};
  const view = Object.entries(viewOf("payment")(record));
  return Object.fromEntries(view.filter(([name]) => names.includes(name)));
}

export function writeSuccess(
  { format, ...rest }: Learned,
  request: SuccessRequest,
  result: RouteResult,
): ApiResponse {
  const learned = { ...rest, format: { ...format, webhookSecret: request.webhookSecret } };
  const template = learned.templates.of(request.endpoint);
  if (template === undefined) return assumedResponse(learned, request, result);
  const { root, at, found } = template;
  const status = template.status ?? ("isNew" in result && result.isNew ? 201 : 200);
  return toResponse(learned, { ...found, status }, root, () => {
    const value = writeContent(learned, template, result);
    if (at === ROOT) return value;
    const envelope = envelopeLookup({ status, now: request.now });
    const paging = "records" in result ? pageLookup(learned.profile, request, result) : undefined;
    const lookup: Lookup = (place) => paging?.(place) ?? envelope(place);
    return write(root, { lookup, format: learned.format, content: { at, value } });
  });
}

const writeContent = (learned: Learned, { inner }: Template, result: RouteResult): unknown =>
  "records" in result
    ? result.records.map((record) => writeRecord(learned, result.resource, record, inner, true))
    : writeRecord(learned, result.resource, result.record, inner);

/** The assumed response of an endpoint that was not seen, with the headers that every other one has. */
function assumedResponse(
  { profile, format }: Learned,
  request: SuccessRequest,
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
