import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import type { RejectionCause } from "../../../profile/causes.ts";
import { total } from "../../../profile/merge.ts";
import { findPaging, parameterRole } from "../../../profile/paging.ts";
import { shapeAt } from "../../../profile/paths.ts";
import { findPlace, type Place, toTree } from "../../../profile/place.ts";
import type { ServiceProfile } from "../../../profile/profile-types.ts";
import {
  endpointKey,
  findRejection,
  findSchedule,
  isAccepted,
  usual,
} from "../../../profile/read.ts";
import { formatTimestamp } from "../../clock.ts";
import type { Resource } from "../../messages.ts";
import { nextName } from "../../state/random.ts";
import type { EventRecord } from "../../state/stored.ts";
import { ASSUMED_SERIALIZER, eventData } from "../assumed.ts";
import {
  ASSUMED_PAGING,
  type IdKind,
  type IdState,
  readPage,
  type Serializer,
} from "../serializer.ts";
import { findKnown } from "./known-values.ts";
import {
  deliveryHeadersLike,
  type Learned,
  writeError,
  writeRecord,
  writeSuccess,
} from "./learned-responses.ts";
import { findOnce, Templates } from "./templates.ts";
import { formatOf, type Lookup, placeholderText, timestampIn, write } from "./write-values.ts";

/** The field that holds an id. */
const ID_FIELDS: Readonly<Record<IdKind | "account", readonly [Resource, field: string]>> = {
  reference: ["payment", "reference"],
  checkout: ["payment", "checkout_request_id"],
  invoice: ["invoice", "id"],
  webhook: ["webhook", "id"],
  secret: ["webhook", "secret"],
  account: ["account", "payment_account_id"],
};

/** Makes ids of the kinds that the service has. */
function learnedIds(templates: Templates, seed: string): Pick<Serializer, "newId" | "accountIds"> {
  /** The place in which responses have an id: the one that a record with this id is written to. */
  const placeOf = findOnce((kind: IdKind | "account"): Place | undefined => {
    const [resource, field] = ID_FIELDS[kind];
    const id = { sent: kind };
    const isId = (place: Place) =>
      findKnown({ [field]: id }, { ...place, parent: undefined }, resource) === id;
    const isRepeated = (place: Place) => place.same.length > 0 && isId(place);
    const roots = templates.shapesOf(resource);
    const found = [isRepeated, isId].flatMap((test) => roots.map((root) => findPlace(root, test)));
    return found.find((place) => place !== undefined);
  });
  const account = placeOf("account");
  return {
    // A profile holds shapes, and tells nothing of a second account.
    accountIds: [
      account === undefined || account.types[0] === "number"
        ? ASSUMED_SERIALIZER.accountIds[0]
        : placeholderText(formatOf(account), "account", seed),
    ],
    newId: (kind, state) => {
      const place = placeOf(kind);
      return (place && idLike(place, state)) ?? ASSUMED_SERIALIZER.newId(kind, state);
    },
  };
}

/** Random ids of fewer digits would soon be made twice: those count up. */
const MIN_RANDOM_DIGITS = 9;

/** `undefined`: any text will do. */
function idLike(place: Place, state: IdState): string | undefined {
  const format = place.types[0] === "number" ? `digits${MIN_RANDOM_DIGITS}` : formatOf(place);
  const [, kind, digits] = /^(digits|hex)(\d*)$/.exec(format) ?? [];
  if (kind === "digits") {
    const length = Number(digits || 12);
    if (length < MIN_RANDOM_DIGITS) return String(10 ** (length - 1) + state.nextId++);
    return `1${nextName(state.random, "digits", length - 1)}`;
  }
  // A text is not a token: its parts are separated by something that a path has to encode.
  if (format === "text") return `SB|${nextName(state.random, "token", 12)}`;
  if (kind === undefined && format !== "uuid") return undefined;
  return placeholderText(format, "id", nextName(state.random, "token", 12));
}

/** The field of a delivery that the interface documents, and that holds the payment or the invoice. */
const DATA = "data";

/** What an event is written into. */
interface EventTemplate {
  /** `undefined`: no event was seen, so that it is as the interface documents it. */
  readonly root: Place | undefined;
  /** The payment or the invoice. */
  readonly data: Place | undefined;
  /** Only the documented fields of it. */
  readonly isDocumented: boolean;
}

const resourceOf = (kind: string) => (kind.startsWith("invoice.") ? "invoice" : "payment");

function findTemplate({ profile, templates }: Learned, kind: string): EventTemplate {
  const own = profile.events[kind];
  const [any] = Object.values(profile.events);
  const resource = resourceOf(kind);
  return {
    root: toTree((own ?? any)?.body ?? {}),
    data: own
      ? templates.resourceLike(shapeAt(own.body, DATA), resource)
      : templates.resourceOf(resource),
    // The interface shows the payload of payments: no field that it may not have.
    isDocumented: own === undefined && resource === "payment",
  };
}

/** Writes events, and makes deliveries, as they were learned. */
function learnedDeliveries(
  learned: Learned,
): Pick<Serializer, "event" | "deliveryHeaders" | "retryDelaysMs"> {
  const { profile, format } = learned;
  const { timestamp } = format;
  const templateOf = findOnce((kind: string) => findTemplate(learned, kind));
  const schedule = findSchedule(profile);
  const usualPrefix = usual(profile.deliveries.signaturePrefixes) ?? "none";
  const prefix = usualPrefix === "none" ? "" : usualPrefix;
  return {
    event: (kind, at, record) => {
      const { root, ...template } = templateOf(kind);
      const value = writeData(learned, template, kind, record);
      if (root === undefined) {
        return JSON.stringify({ event: kind, timestamp: timestamp(at), data: value });
      }
      const lookup: Lookup = ({ name }) => {
        if (name === "event") return { sent: kind };
        if (name === "timestamp" || name === "created_at") return { ms: at };
        return name === "type" ? { oneOf: [kind] } : undefined;
      };
      return JSON.stringify(write(root, { lookup, format, content: { at: DATA, value } }));
    },
    retryDelaysMs: schedule.length > 0 ? schedule : ASSUMED_SERIALIZER.retryDelaysMs,
    deliveryHeaders: (attempt) => ({
      ...deliveryHeadersLike(profile.deliveries, attempt, timestamp),
      "x-service-signature": prefix + attempt.signature,
    }),
  };
}

function writeData(
  learned: Learned,
  { data, isDocumented }: Omit<EventTemplate, "root">,
  kind: string,
  record: EventRecord,
): unknown {
  const assumed = eventData(kind, record);
  if (data === undefined || "subscription_id" in record) return assumed;
  const resource = resourceOf(kind);
  if (!isDocumented) return writeRecord(learned, resource, record, data);
  const fields = data.fields.filter(({ key }) => key in assumed);
  return { ...assumed, ...Object(writeRecord(learned, resource, record, { ...data, fields })) };
}

/**
 * The serializer of the service that a profile was learned from. If the profile is silent, the
 * assumptions decide.
 *
 * @param seed - The same seed makes the same placeholders.
 */
export function learnedSerializer(profile: ServiceProfile, seed: string): Serializer {
  const templates = new Templates(profile);
  const learned: Learned = {
    profile,
    templates,
    format: {
      seed,
      timestamp: timestampsOf(profile, (form) => !form.includes(" ")),
      datetime: timestampsOf(profile, (form) => form.includes(" ")),
    },
  };
  const pagingOf = findOnce((endpoint: EndpointName) => learnedPaging(profile, endpoint));
  return {
    success: (request, result) => writeSuccess(learned, request, result),
    error: (request, error) => writeError(learned, request, error),
    readPage: (endpoint, query) => readPage(query, pagingOf(endpoint)),
    ...learnedIds(templates, seed),
    mayCall: permissionsOf(profile),
    accepts: (cause) => accepts(profile, cause) ?? ASSUMED_SERIALIZER.accepts(cause),
    ...learnedDeliveries(learned),
  };
}

/** How a list is paged: as it was learned, or else as it is assumed, unless that has no effect. */
function learnedPaging(profile: ServiceProfile, endpoint: EndpointName) {
  const paging = findPaging(profile, endpointKey(endpoint));
  const { parameters, ignored, defaultSize } = paging;
  const assumed = Object.entries(ASSUMED_PAGING.parameters).filter(
    ([, name]) => !ignored.includes(name),
  );
  // A list cannot be paged if no parameter works, and one that asks for another page does not.
  const isUnpaged =
    Object.keys(parameters).length === 0 &&
    ignored.some((name) => (parameterRole(name) ?? "size") !== "size");
  const isWhole = isUnpaged && defaultSize === undefined;
  const { size, ...others } = { ...Object.fromEntries(assumed), ...parameters };
  return { ...paging, parameters: { ...others, ...(size && !isWhole && { size }) }, isWhole };
}

/** The usual form of timestamps. */
function timestampsOf(
  { timestamps }: ServiceProfile,
  isWanted: (form: string) => boolean,
): (ms: number) => string {
  const forms = Object.entries(timestamps).filter(([form]) => isWanted(form));
  const form = usual(Object.fromEntries(forms));
  return form === undefined ? formatTimestamp : timestampIn(form);
}

/** Whether the service does what is asked although there is a cause to reject it. `undefined`: not seen. */
function accepts(profile: ServiceProfile, cause: RejectionCause): boolean | undefined {
  const found = findRejection(profile, cause);
  return found && isAccepted(found);
}

const permissionsOf =
  (profile: ServiceProfile): Serializer["mayCall"] =>
  (kind, name) => {
    const { allowed, rejected } = profile.keys[kind]?.[endpointKey(name)] ?? {};
    if (total(allowed) > 0) return true;
    // A secret key that is rejected lacks a scope.
    if (kind !== "secret" && total(rejected) > 0) return false;
    const { keys }: Endpoint = ENDPOINTS[name];
    return keys.includes(kind) || accepts(profile, "wrong_kind") === true;
  };
