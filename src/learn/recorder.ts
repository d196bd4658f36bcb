import { type Endpoint, endpointFor } from "../contract/endpoints.ts";
import { isObject } from "../internal/is-object.ts";
import { internationalDigits, KENYA } from "../phones/phone-number.ts";
import { bodyResultFields, isEnvelope, readBodyResult } from "../profile/body-result.ts";
import type { RejectionCause } from "../profile/causes.ts";
import { mergeValues } from "../profile/merge.ts";
import { findListPath } from "../profile/paths.ts";
import { type Counts, EMPTY_PROFILE, type ServiceProfile } from "../profile/profile-types.ts";
import { isBodyResultValue, isFieldName } from "../profile/vocabulary/names.ts";
import { type Additions, add, headersOf } from "./observe/additions.ts";
import { DeliveryObserver } from "./observe/delivery-observer.ts";
import {
  askedOf,
  askedPageAdditions,
  defaultPageAdditions,
  type Page,
  readPage,
  rejectedPageAdditions,
} from "./observe/list-paging.ts";
import {
  collapse,
  knownOfRequest,
  SentPayments,
  type ShapeOptions,
  shapeOf,
  textsIn,
} from "./observe/shape.ts";
import {
  type DeliverySeen,
  type Exchange,
  headerValue,
  type ParsedBody,
  parseBody,
} from "./observed.ts";

/** An exchange, and what is known of it at once. */
interface ReadExchange extends Exchange {
  readonly endpoint: Endpoint | undefined;
  /** The endpoint, such as `GET /merchant`, or `other`. */
  readonly place: string;
  readonly parsed: ParsedBody;
  /** Whether the service did not do what was asked. */
  readonly isFailure: boolean;
}

function readExchange(
  exchange: Exchange,
  bodyResults: ServiceProfile["bodyResults"],
): ReadExchange {
  const { method, path, status, cause } = exchange;
  const endpoint = endpointFor(method, path)?.endpoint;
  const parsed = parseBody(exchange.body);
  const isWrong = cause !== undefined && differsFromSuccess(parsed, bodyResults);
  const isFailure =
    status >= 400 || (status < 300 && (isWrong || isErrorBody(parsed, bodyResults)));
  return {
    ...exchange,
    endpoint,
    place: endpoint === undefined ? "other" : `${endpoint.method} ${endpoint.path}`,
    parsed,
    isFailure,
    cause: cause ?? (isFailure && status < 500 ? guessCause(exchange, endpoint) : undefined),
  };
}

/** Whether a body shows that the request failed, whatever its status is. */
function isErrorBody({ value }: ParsedBody, bodyResults: ServiceProfile["bodyResults"]): boolean {
  if (!isObject(value)) return false;
  const { error, errors, data } = value;
  const bodyResult = readBodyResult(value, bodyResults);
  if (bodyResult?.hasFailed) return true;
  const hasError = Boolean(error) || (Array.isArray(errors) && errors.length > 0);
  return hasError && (data === undefined || data === null);
}

/** Whether a body has a value in the place in which successes always had another. */
const differsFromSuccess = (
  { value }: ParsedBody,
  bodyResults: ServiceProfile["bodyResults"] = {},
): boolean =>
  bodyResultFields(value).some((one) => {
    const { success } = bodyResults[one.path] ?? {};
    return success !== undefined && !(one.value in success);
  });

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/**
 * Why the service rejected a request that was meant to succeed, as far as its status and the request
 * show. `undefined`: not clear enough to learn from.
 */
function guessCause(
  { path, status, key, hasBody, query }: Exchange,
  endpoint: Endpoint | undefined,
): RejectionCause | undefined {
  if (status === 429) return "rate_limit";
  if (key === "none") return status === 401 || status === 403 ? "no_key" : undefined;
  if (status === 401) return "unknown_key";
  if (endpoint === undefined) {
    return METHODS.some((one) => endpointFor(one, path)) ? "wrong_method" : "unknown_path";
  }
  const isKind = key === "public" || key === "secret" || key === "sandbox";
  if (status === 403 && isKind) return endpoint.keys.includes(key) ? "missing_scope" : "wrong_kind";
  const hasId = endpoint.path.includes("{");
  if (hasId && (status === 404 || status === 410)) return "unknown_id";
  if (endpoint.path.endsWith("/status") && status === 404) return "unknown_id";
  if (status !== 400 && status !== 422 && status >= 300) return undefined;
  if (hasBody) {
    return endpoint.path.endsWith("/validate-phone") ? "unusable_phone" : "invalid_field";
  }
  if (hasId) return "unknown_id";
  return query !== undefined && query.size > 0 ? "invalid_field" : undefined;
}

/** In an error, these hold the problems by the name of the field. */
const CONTAINERS =
  /^(?:errors|fields|violations|invalid_params|validation_errors|validation|details|messages|issues)$/i;

/** The fields of requests and the parameters of queries. */
const REQUEST_FIELDS = [
  ...["amount", "phone", "description", "account_reference", "payment_account_id", "name", "url"],
  ...["events", "reference", "checkout_request_id", "status", "due_at"],
  ...["page", "per_page", "limit"],
];

/** The field that an error names. */
function wrongField({ value }: ParsedBody): string | undefined {
  const texts = textsIn(value);
  return REQUEST_FIELDS.find((name) => texts.has(name));
}

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Whether a key of an error is the name of the field that was invalid: `{ errors: { phone: ["..."] } }`. */
const isInvalidField = (container: string, key: string, value: unknown): boolean =>
  (REQUEST_FIELDS.includes(key) && isMessages(value)) ||
  (CONTAINERS.test(container) &&
    (REQUEST_FIELDS.includes(key) || (isMessages(value) && isFieldName(key))));

type Causes = readonly (RejectionCause | undefined)[];

const FIELD_CAUSES: Causes = ["invalid_field", "invalid_phone", "unusable_phone"];
const KEY_CAUSES: Causes = ["wrong_kind", "missing_scope"];

/** Requests that are wrong only in their key or phone: if the service accepts one, its response is a success. */
const REAL_SUCCESS: Causes = [
  ...([undefined, "no_key", "unknown_key", "invalid_phone", "unusable_phone"] as const),
  ...KEY_CAUSES,
];

const LISTED_STEPS_MS = [10_000, 30_000, 60_000, 120_000, 300_000];

/** The endpoints whose resource has a status. */
const STATEFUL = /payments|payment\/status|invoices/;

/** Whether the number that was sent to be validated is one: what is said of it depends on that. */
function validityOf(place: string, sent: unknown): string | undefined {
  if (!place.endsWith("/validate-phone")) return undefined;
  const { phone } = Object(sent) as { phone?: unknown };
  const given = String(phone);
  const digits = internationalDigits(given, KENYA);
  return digits === undefined ? "invalid" : "valid";
}

interface RecorderOptions {
  /** Who learns. It is written into the profile, beside the run. */
  readonly by: "probe" | "proxy" | "observer";
  /** The name of the run, eight hexadecimal digits. Default: the one that `by` began in `base`, or a random one. */
  readonly run?: string | undefined;
  /** What is already known. */
  readonly base?: ServiceProfile | undefined;
}

/** Turns exchanges into a profile, at once. An observer is a recorder behind a queue. */
export class Recorder {
  /** What the base knew, and what this run has seen. */
  readonly #known: ServiceProfile;
  readonly #run: string;
  /** The count of one observation. */
  readonly #one: Counts;
  readonly #deliveries = new DeliveryObserver();
  readonly #payments = new SentPayments();
  readonly #defaultPages = new Map<string, Page>();

  constructor({ by, run, base = EMPTY_PROFILE }: RecorderOptions) {
    const own = Object.keys(base.runs).find((name) => base.runs[name]?.by.join() === by);
    this.#run = run ?? own ?? globalThis.crypto.randomUUID().slice(0, 8);
    this.#one = { [this.#run]: 1 };
    // A copy: every map and every set of a merge is a new one.
    this.#known = mergeValues(base, base);
    this.#add({ runs: { [this.#run]: { by: [by], requests: 0, deliveries: 0 } } });
  }

  #add(additions: Additions<ServiceProfile>): void {
    add(this.#known, additions);
  }

  /** What is known of the paging of lists by now. */
  get lists(): ServiceProfile["lists"] {
    return this.#known.lists;
  }

  /** What was learned so far, with what `base` knew: plain JSON, a copy. */
  profile(): ServiceProfile {
    return mergeValues(this.#known, this.#known);
  }

  /** Adds a request and its response. Never throws. */
  record(exchange: Exchange): void {
    // A profile with another status could not be read again.
    if (!(exchange.status >= 200 && exchange.status <= 599)) return;
    try {
      const read = readExchange(exchange, this.#known.bodyResults);
      if (read.parsed.kind === "excess") return;
      this.#add({ runs: { [this.#run]: { requests: 1 } } });
      if (read.cause !== undefined) this.#addRejection(read, read.cause);
      this.#addResponse(read);
      this.#addBodyResult(read);
      this.#addKey(read);
      this.#addList(read);
      if (exchange.hasOrigin) this.#addOrigin(exchange);
    } catch {
      // What cannot be read teaches nothing, and must not end a payment.
    }
  }

  /**
   * Adds how long a new item took until its list had it. Rounded up to a whole step, so that two probes
   * of one service are alike.
   */
  recordListed(place: string, tookMs: number): void {
    const listedWithinMs = LISTED_STEPS_MS.find((step) => tookMs <= step);
    if (listedWithinMs !== undefined) this.#add({ lists: { [place]: { listedWithinMs } } });
  }

  /** Adds a delivery. Never throws. */
  recordDelivery(delivery: DeliverySeen): void {
    try {
      this.#add({ runs: { [this.#run]: { deliveries: 1 } } });
      this.#add(this.#deliveries.additionsOf(delivery, this.#one, this.#payments));
      for (const { body } of Object.values(this.#known.events)) collapse(body);
    } catch {
      // A delivery that cannot be read teaches nothing, and must not fail.
    }
  }

  /** What was seen in a response, as it stands in a profile. */
  #responseOf(read: ReadExchange, options: Omit<ShapeOptions, "one" | "sent">) {
    const { path, query, headers, parsed } = read;
    const one = this.#one;
    const sent = [...path.split("/"), ...(query?.values() ?? [])];
    const { shape, timestamps } = shapeOf(parsed, { one, sent, ...options });
    this.#add({ timestamps });
    return { seen: one, headers: headersOf(headers, one), body: shape };
  }

  #addRejection(read: ReadExchange, cause: RejectionCause): void {
    const { status, place, parsed, isFailure } = read;
    const isAboutField = FIELD_CAUSES.includes(cause);
    const rejection = {
      ...this.#responseOf(read, {
        keepsValues: true,
        known: { status, field: isAboutField ? wrongField(parsed) : undefined },
        isFieldKey: isAboutField ? isInvalidField : undefined,
      }),
      at: { [place]: this.#one },
      ...(!isFailure && { accepted: this.#one }),
    };
    this.#add({ rejections: { [cause]: { [status]: rejection } } });
    collapse(this.#known.rejections[cause]?.[status]?.body);
  }

  #addResponse(read: ReadExchange): void {
    const { path, sent, status, endpoint, place, parsed, isFailure, cause } = read;
    const isSuccess = !isFailure && REAL_SUCCESS.includes(cause);
    if (endpoint === undefined || !(isSuccess || status >= 500)) return;
    const known = knownOfRequest(path, sent);
    if (isSuccess && place.endsWith("/initiate")) this.#payments.add(known, parsed.value);
    const isPayment = place.includes("payment");
    const response = this.#responseOf(read, {
      keepsValues: isSuccess,
      known: isPayment ? { ...this.#payments.of(parsed.value), ...known } : known,
      hasStates: isSuccess && STATEFUL.test(place),
      state: isSuccess ? validityOf(place, sent) : undefined,
    });
    this.#add({ endpoints: { [place]: { [status]: response } } });
    collapse(this.#known.endpoints[place]?.[status]?.body);
  }

  #addBodyResult({ status, cause, isFailure, parsed }: ReadExchange): void {
    if (status >= 300 || isFailure === (cause === undefined) || !isEnvelope(parsed.value)) return;
    const values = bodyResultFields(parsed.value).filter(({ value }) => isBodyResultValue(value));
    const side = isFailure ? "failure" : "success";
    const seen = values.map(({ path, value }) => [path, { [side]: { [value]: this.#one } }]);
    if (seen.length > 0) this.#add({ bodyResults: Object.fromEntries(seen) });
  }

  #addKey({ key, endpoint, place, isFailure, cause }: ReadExchange): void {
    if (endpoint === undefined || key === undefined || key === "none" || key === "other") return;
    if (isFailure && !KEY_CAUSES.includes(cause)) return;
    const result = isFailure ? "rejected" : "allowed";
    this.#add({ keys: { [key]: { [place]: { [result]: this.#one } } } });
  }

  #addList({ endpoint, place, query, status, parsed, isFailure, cause }: ReadExchange): void {
    if (endpoint?.list === undefined || status >= 500) return;
    const asked = askedOf(query);
    const learn = (additions: Additions<ServiceProfile["lists"][string]>) =>
      this.#add({ lists: { [place]: additions } });
    if (isFailure) {
      if (cause === "invalid_field" && asked.length > 0) learn(rejectedPageAdditions(asked));
      return;
    }
    const list = findListPath(this.#known.endpoints[place]?.[status]?.body ?? {});
    const page = list === undefined ? undefined : readPage(parsed.value, list);
    if (page === undefined) return;
    const before = this.#defaultPages.get(place);
    if (asked.length > 0) askedPageAdditions(page, asked, before, this.#one).forEach(learn);
    else if ((query?.size ?? 0) === 0) {
      this.#defaultPages.set(place, page);
      learn(defaultPageAdditions(page, this.#one));
    }
  }

  #addOrigin({ headers }: Exchange): void {
    const isAllowed = headerValue(headers, "access-control-allow-origin") !== undefined;
    this.#add({ browsers: { [isAllowed ? "allowed" : "rejected"]: this.#one } });
  }
}
