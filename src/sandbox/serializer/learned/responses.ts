import { findPaging } from "../../../profile/paging.ts";
import { ROOT } from "../../../profile/paths.ts";
import { endpointKey, type Found, findSuccess } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import { CORS_HEADERS } from "../../exchange/json-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import type { Page, RouteResult } from "../../exchange/result.ts";
import { ASSUMED_SPEECH, viewOf } from "../assumed.ts";
import type { Speech } from "../serializer.ts";
import { envelopeLookup, pageLookup } from "./envelope.ts";
import { contentTypeLike, headersLike } from "./headers.ts";
import { factsOf, findFact } from "./known-values.ts";
import type { Place } from "./shape-tree.ts";
import type { Template, Templates } from "./templates.ts";
import type { Manner } from "./values.ts";
import { type Contents, type Lookup, say, sayFields } from "./write.ts";

/** What a speech that was learned is made of. */
export interface Learned {
  readonly profile: ServiceProfile;
  readonly templates: Templates;
  readonly manner: Manner;
}

/** A body of a response in the shape of a place: JSON, a page of HTML, or nothing. */
export function toResponse(
  { manner }: Learned,
  status: number,
  { response }: Found,
  root: Place,
  content: () => unknown,
): ApiResponse {
  const headers = { ...CORS_HEADERS, ...headersLike(response, manner.seed) };
  const [type] = root.types;
  if (type === "empty" || status === 204) return { status, headers, body: "" };
  if (type === "text") {
    const body = `<!doctype html><html><body><h1>${status}</h1></body></html>`;
    return {
      status,
      headers: { "content-type": contentTypeLike(response, "text/html"), ...headers },
      body,
    };
  }
  return {
    status,
    headers: { "content-type": contentTypeLike(response, "application/json"), ...headers },
    body: JSON.stringify(content()),
  };
}

/** Finds what is known of a record, and the message beside it. */
function recordLookup(
  thing: RouteResult["thing"],
  record: unknown,
  envelope: Lookup,
  manner: Manner,
): Lookup {
  const facts = factsOf(thing, record, manner);
  return (place, within) =>
    findFact(thing, facts, place, within, manner) ??
    (place.name === "message" ? envelope(place, within) : undefined);
}

/** Says a record in a shape; as the assumptions have it, where its shape was not seen. */
export function sayRecord(
  thing: RouteResult["thing"],
  record: unknown,
  place: Place | undefined,
  envelope: Lookup,
  manner: Manner,
  isItem = false,
): unknown {
  if (place === undefined) return viewOf(thing)(record);
  const seeded = { ...manner, seed: `${manner.seed} ${idOf(record)}` };
  const lookup = recordLookup(thing, record, envelope, seeded);
  return place.types[0] === "object"
    ? { ...sayFields(place, lookup, seeded), ...(isItem ? {} : unseenFields(thing, record, place)) }
    : say(place, lookup, seeded);
}

const FIELDS_BY_STATUS = {
  failed: ["failure_reason", "user_message", "retry_possible"],
  completed: ["transaction_id", "provider_transaction_id", "provider_reference", "payer_name"],
} as const;

/** The documented fields of a payment in a status that was never seen: they are not left out. */
function unseenFields(thing: RouteResult["thing"], record: unknown, { fields }: Place): object {
  const { status } = Object(record) as { status?: string };
  if (thing !== "payment" || (status !== "failed" && status !== "completed")) return {};
  const seen = fields.find(({ name }) => name === "status")?.values ?? [];
  const names: readonly string[] = FIELDS_BY_STATUS[status];
  const isKnown = seen.some((value) => value !== "pending") && seen.includes(status);
  if (isKnown || fields.some(({ name }) => names.includes(name))) return {};
  const view = viewOf(thing)(record) as Record<string, unknown>;
  return Object.fromEntries(names.flatMap((name) => (name in view ? [[name, view[name]]] : [])));
}

const idOf = (record: unknown): string => {
  const { reference, id = "" } = Object(record) as { reference?: string; id?: string };
  return reference ?? id;
};

/** Says the success of an endpoint as it was learned. */
export function saySuccess(
  { manner: general, ...rest }: Learned,
  asked: Parameters<Speech["success"]>[0],
  result: RouteResult,
): ApiResponse {
  const learned = { ...rest, manner: { ...general, webhookSecret: asked.webhookSecret } };
  const template = learned.templates.of(asked.endpoint);
  if (template === undefined) return assumedResponse(learned, asked, result);
  const assumed = "isNew" in result && result.isNew ? 201 : 200;
  const status = template.status ?? assumed;
  const envelope = envelopeLookup({ status, path: asked.path, now: asked.now });
  const content =
    "records" in result
      ? () => sayList(learned, template, asked, result, envelope)
      : () => sayOne(learned, template, result.thing, result.record, envelope);
  return toResponse(learned, status, template.found, template.root, content);
}

/** The assumed response of an endpoint that was not seen, with the headers that every other one has. */
function assumedResponse(
  { profile, manner }: Learned,
  asked: Parameters<Speech["success"]>[0],
  result: RouteResult,
): ApiResponse {
  const assumed = ASSUMED_SPEECH.success(asked, result);
  const [seen] = Object.keys(profile.endpoints).flatMap(
    (endpoint) => findSuccess(profile, endpoint) ?? [],
  );
  if (seen === undefined) return assumed;
  const { "content-type": type = "application/json" } = assumed.headers;
  const headers = { "content-type": type, ...CORS_HEADERS };
  return { ...assumed, headers: { ...headers, ...headersLike(seen.response, manner.seed) } };
}

function sayOne(
  { manner }: Learned,
  { root, at, inner }: Template,
  thing: RouteResult["thing"],
  record: unknown,
  envelope: Lookup,
): unknown {
  const content = () => sayRecord(thing, record, inner, envelope, manner);
  if (at === ROOT) return content();
  return say(root, envelope, manner, new Map([[at, content]]));
}

function sayList(
  learned: Learned,
  { root, at, inner }: Template,
  asked: Parameters<Speech["success"]>[0],
  { thing, records, page }: Extract<RouteResult, { records: unknown }>,
  envelope: Lookup,
): unknown {
  const { manner, profile } = learned;
  const items = records.map((record) => sayRecord(thing, record, inner, envelope, manner, true));
  if (at === ROOT && root.types[0] === "array") return items;
  const lookup = listLookup(profile, asked, page, items.length);
  const contents: Contents = new Map([[at, () => items]]);
  return say(
    root,
    (place, within) => lookup(place, within) ?? envelope(place, within),
    manner,
    contents,
  );
}

function listLookup(
  profile: ServiceProfile,
  { endpoint, path }: Parameters<Speech["success"]>[0],
  page: Page,
  count: number,
): Lookup {
  const { firstPage = 1, parameters } = findPaging(profile, endpointKey(endpoint));
  const { origin, prefix } = ASSUMPTIONS.address.value;
  const address = origin + prefix + path;
  return pageLookup({ page, count, address, firstPage, pageName: parameters.page ?? "page" });
}
