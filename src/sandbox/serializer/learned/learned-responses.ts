import { REJECTION_CAUSES, type RejectionCause } from "../../../profile/causes.ts";
import { FIELDS_BY_STATUS } from "../../../profile/compare-shapes.ts";
import { total } from "../../../profile/merge.ts";
import { fieldRole, findPaging } from "../../../profile/paging.ts";
import { ROOT } from "../../../profile/paths.ts";
import { findPlace, type Place, toTree } from "../../../profile/place.ts";
import type {
  Counts,
  DeliveryShape,
  HeaderShape,
  RejectionShape,
  ResponseShape,
  ServiceProfile,
} from "../../../profile/profile-types.ts";
import {
  endpointKey,
  type Found,
  findRejection,
  findSuccess,
  isAccepted,
  usual,
} from "../../../profile/read.ts";
import { hasTimeFormat, textFormat } from "../../../profile/vocabulary/formats.ts";
import { isStatusName } from "../../../profile/vocabulary/names.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import {
  type ApiResponse,
  CORS_HEADERS,
  type ErrorCause,
  type ErrorResponse,
  type Page,
  type Resource,
  type RouteResult,
} from "../../messages.ts";
import { ASSUMED_SERIALIZER, ASSUMED_STATUSES, viewOf } from "../assumed.ts";
import { cursorOf, type RequestContext, type Serializer } from "../serializer.ts";
import { findKnown, knownFieldsOf } from "./known-values.ts";
import type { Template, Templates } from "./templates.ts";
import {
  choose,
  type Format,
  type KnownValue,
  type Lookup,
  placeholderText,
  write,
  writeFields,
} from "./write-values.ts";

/** Headers that belong to the service, not to the server in front of it. */
const OF_SERVICE =
  /^(?:x-|ratelimit|(?:\w+-)*(?:request|trace|debug)-id|(?:retry-after|location|www-authenticate|allow)$)/;

/** Headers of a delivery that the sandbox sends anyway. */
const SENT_ANYWAY = /^(?:content-type|x-service-signature|x-sandbox-.*|priority)$/;

/** Headers with a syntax that a client reads. */
const FIXED: Readonly<Record<string, string>> = {
  location: "/",
  "www-authenticate": 'Bearer realm="sandbox"',
};

/** The headers that were on at least half of the messages, with their values. */
const usualHeaders = (
  { seen, headers }: Pick<ResponseShape, "seen" | "headers">,
  isWanted: (name: string) => boolean,
  write: (name: string, header: HeaderShape) => string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, header]) => total(header.seen) * 2 >= total(seen) && isWanted(name))
      .map(([name, header]) => [name, write(name, header)]),
  );

/** The headers of a response with this shape, beside the content type. */
const headersLike = (response: ResponseShape, seed: string): Record<string, string> =>
  usualHeaders(
    response,
    (name) => OF_SERVICE.test(name),
    (name, { values, formats: [format = "token"] = [] }) =>
      FIXED[name] ?? values?.at(-1) ?? placeholderText(format, name, seed),
  );

/** The headers of a delivery, as they were learned. */
export const deliveryHeadersLike = (
  deliveries: DeliveryShape,
  { delivery: { id, event }, tries, now }: Parameters<Serializer["deliveryHeaders"]>[0],
  timestamp: (ms: number) => string,
): Record<string, string> =>
  usualHeaders(
    deliveries,
    (name) => !SENT_ANYWAY.test(name),
    (name, { values, formats: [format = "token"] = [] }) => {
      const isNumber = format.startsWith("digits");
      if (/time|date/.test(name)) {
        if (!isNumber) return timestamp(now);
        return String(format === "digits13" ? now : Math.floor(now / 1000));
      }
      const isRetry = /retry|redeliver/.test(name);
      if (isNumber && isRetry) return String(tries - 1);
      if (isNumber && /attempt|tries/.test(name)) return String(tries);
      if (format === "token" && /(?:event|topic|type)$/.test(name)) return event;
      return values?.[0] ?? placeholderText(format, name, `${id} ${tries}`);
    },
  );

/** A request that succeeded. */
type SuccessRequest = Parameters<Serializer["success"]>[0];

const sent = (value: unknown): KnownValue => ({ sent: value });

/** What a response holds beside its resource, or in the place of one. */
interface EnvelopeValues {
  readonly status: number;
  readonly now: number;
  readonly bodyResults: ServiceProfile["bodyResults"];
  /** `undefined`: it is a success. */
  readonly error?: {
    readonly cause: string;
    readonly message: string;
    readonly field: string;
    readonly status: number;
  };
}

/** A value that the service sends in this case: the one with the meaning of a status, or the usual one. */
function bodyResultValue(
  values: Readonly<Record<string, Counts>>,
  { types: [type], formats }: Place,
  status: string,
): unknown {
  const fitting = Object.entries(values).filter(
    ([value]) => type !== "string" || formats.includes(textFormat(value)),
  );
  const value = fitting.some(([one]) => one === status)
    ? status
    : usual(Object.fromEntries(fitting));
  if (type === "boolean") return value === "true";
  return type === "number" ? Number(value) : value;
}

/** Looks up the fields of an envelope and of an error, by their shape. */
function envelopeLookup({ status, now, bodyResults = {}, error }: EnvelopeValues): Lookup {
  return (place) => {
    const { path, name, types, formats, values, same } = place;
    const [type] = types;
    const bodyResult = bodyResults[path]?.[error === undefined ? "success" : "failure"];
    if (bodyResult !== undefined)
      return sent(bodyResultValue(bodyResult, place, String(error?.status)));
    if (same.includes("status")) return sent(status);
    if (type !== "string") return undefined;
    if (hasTimeFormat(formats)) return { ms: now };
    if (values.length > 0) {
      return { oneOf: [error === undefined ? /^(success|ok)/ : /^(error|fail)/, /^/] };
    }
    if (error === undefined) return name === "message" ? { text: "OK" } : undefined;
    if (same.includes("field")) return { text: error.field || "field" };
    if (same.includes("pointer")) return { text: `/${error.field || "field"}` };
    if (formats.includes("text")) return { text: error.message };
    return formats.includes("token") && !/id$/.test(name) ? { text: error.cause } : undefined;
  };
}

/** The names of links to other pages, for lists that were never seen with another page. */
const LINK = /^(next|prev|previous)(_(page_)?(url|link))?$/;

/** Looks up the fields beside a list, by what they are or by their name. */
function pageLookup(
  profile: ServiceProfile,
  { endpoint, path }: SuccessRequest,
  { page, records }: { readonly page: Page; readonly records: readonly unknown[] },
): Lookup {
  const { firstPage = 1, parameters } = findPaging(profile, endpointKey(endpoint));
  const { origin, prefix } = ASSUMPTIONS.address.value;
  const address = origin + prefix + path;
  const count = records.length;
  const { size, offset, total } = page;
  const pages = Math.max(Math.ceil(total / Math.max(size, 1)), 1);
  const number = page.page - 1 + firstPage;
  const hasMore = offset + count < total;
  const link = (one: number) => sent(`${address}?${parameters.page ?? "page"}=${one}`);
  /** Another page: its address, its number or its cursor, as the place has it. */
  const other = (isThere: boolean, one: number, from: number) => (place: Place) => {
    const { name, types, formats } = place;
    if (!isThere) return sent(null);
    if (formats.includes("url") || (formats.length === 0 && LINK.test(name))) return link(one);
    if (types.includes("number") || /_page$/.test(name)) return sent(one);
    // Base64 with its padding is no token.
    const isPadded = formats.includes("text") && !formats.includes("token");
    return sent(cursorOf(from) + (isPadded ? "==" : ""));
  };
  const end = (isThere: boolean, one: number) => (place: Place) =>
    place.types[0] === "boolean" ? sent(!isThere) : link(one);
  const next = other(hasMore, number + 1, offset + size);
  const known: Readonly<Record<string, unknown>> = {
    ...{ page: number, size, offset, total, pages, count, more: hasMore },
    from: count === 0 ? null : offset + 1,
    to: count === 0 ? null : offset + count,
    ...{ nextPage: next, nextCursor: next, nextUrl: next },
    previous: other(offset > 0, number - 1, Math.max(offset - size, 0)),
    number_of_elements: count,
    empty: count === 0,
    first: end(offset > 0, firstPage),
    last: end(hasMore, pages - 1 + firstPage),
    path: address,
  };
  return (place) => {
    // `next: { href }` is an address, too.
    const name = place.name === "href" ? (place.parent ?? "") : place.name;
    const value = known[fieldRole(name) ?? name];
    if (typeof value === "function") return value(place) as KnownValue;
    return value === undefined ? undefined : sent(value);
  };
}

/** What a serializer that was learned is made of. */
export interface Learned {
  readonly profile: ServiceProfile;
  readonly templates: Templates;
  readonly format: Format;
}

/** A body of a response in the shape of a place: JSON, a page of HTML, or nothing. */
function toResponse(
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
  const state = resource === "phone" ? validityOf(place, record) : stateOf(place, fields.status);
  const isUnseen = resource === "payment" && state === undefined;
  const lookup: Lookup = (one) => findKnown(fields, one, resource);
  const writer = { lookup, format: { ...format, fillsNull: isUnseen }, state };
  if (place.types[0] !== "object") return write(place, writer);
  const body = writeFields(place, writer);
  return isUnseen && !isItem ? { ...unseenFields(record, place), ...body } : body;
}

/** Whether a phone number is valid, as the state of what is said of it. `undefined`: it was never seen. */
function validityOf(place: Place, record: unknown): string | undefined {
  const state = (Object(record) as { valid?: unknown }).valid === true ? "valid" : "invalid";
  return findPlace(place, ({ states }) => states?.[state] !== undefined) && state;
}

/** The status of a record under the name of the service. `undefined`: it was never seen. */
function stateOf(place: Place, status: KnownValue | undefined) {
  const isStatus = ({ values, name }: Place) => values.length > 0 && isStatusName(name);
  // Beside it, `settlement_status` is the status of something else.
  const isOwn = (one: Place) => isStatus(one) && /^(?:status|state)$/.test(one.name);
  const seen = findPlace(place, isOwn) ?? findPlace(place, isStatus);
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
    const envelope = envelopeLookup({
      status,
      now: request.now,
      bodyResults: learned.profile.bodyResults,
    });
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

/** An invalid phone is an invalid field: these have the same status. */
const SAME_STATUS: readonly ErrorCause[] = ["invalid_field", "invalid_phone", "unusable_phone"];

/** Causes whose errors look alike: the body is borrowed, the status stays the assumption. */
const FAMILIES: readonly (readonly ErrorCause[])[] = [
  ["no_key", "unknown_key"],
  ["wrong_kind", "missing_scope", "unknown_key"],
  ["unknown_path", "unknown_id", "wrong_method", "invalid_path"],
  [...SAME_STATUS, "invalid_json"],
];

/** The status of every rejection that was seen, if they have one. */
function onlyStatus({ profile }: Learned): number | undefined {
  const causes: readonly RejectionCause[] = ["no_key", "unknown_key", "wrong_kind", "unknown_id"];
  const statuses = new Set(causes.map((cause) => findRejection(profile, cause)?.status));
  return statuses.size === 1 ? [...statuses][0] : undefined;
}

/** How the service rejects for a cause, or else for one that is like it. */
function findError(learned: Learned, cause: ErrorCause, endpoint?: string) {
  const { rejections } = learned.profile;
  const family = FAMILIES.find((causes) => causes.includes(cause)) ?? [];
  for (const other of [cause, ...family, ...REJECTION_CAUSES]) {
    if (other === "invalid_path") continue;
    const seen: (Found<RejectionShape> | undefined)[] = Object.entries(rejections[other] ?? {}).map(
      ([status, response]) => ({ status: Number(status), response }),
    );
    const usual = findRejection(learned.profile, other, endpoint);
    const found = [usual, ...seen].find((one) => one !== undefined && !isAccepted(one));
    if (found === undefined) continue;
    const isOwn = other === cause;
    const hasStatus = isOwn || (SAME_STATUS.includes(cause) && SAME_STATUS.includes(other));
    const assumed = onlyStatus(learned) ?? ASSUMED_STATUSES[cause];
    return { ...found, status: hasStatus ? found.status : assumed, isOwn };
  }
  return undefined;
}

export function writeError(
  learned: Learned,
  request: RequestContext,
  error: ErrorResponse,
): ApiResponse {
  const { cause, message, headers } = error;
  const found = findError(learned, cause, request.endpoint && endpointKey(request.endpoint));
  const root = found && toTree(found.response.body);
  if (found === undefined || root === undefined) return ASSUMED_SERIALIZER.error(request, error);
  const [field = ""] = error.field?.split(".") ?? [];
  const { status, isOwn } = found;
  const { bodyResults } = learned.profile;
  const assumed = { cause, message, field, status: ASSUMED_STATUSES[cause] };
  const lookup = envelopeLookup({ status, now: request.now, bodyResults, error: assumed });
  const format = { ...learned.format, field };
  const response = toResponse(learned, found, root, () => write(root, { lookup, format }));
  const own = Object.entries(headers).filter(([name]) => !isOwn || name in found.response.headers);
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(own) } };
}
