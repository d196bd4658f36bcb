import { type Endpoint, endpointFor } from "../contract/endpoints.ts";
import type { RejectionCause } from "../profile/causes.ts";
import { mergeProfiles } from "../profile/merge.ts";
import { findListPath } from "../profile/paths.ts";
import {
  EMPTY_PROFILE,
  type RejectionShape,
  type ResponseShape,
  type Run,
  type ServiceProfile,
  type Shape,
} from "../profile/types.ts";
import type { DeliverySeen, Exchange, Recorder, RecorderOptions } from "./exchange.ts";
import { DeliveryObserver } from "./observe/deliveries.ts";
import { addTo, at, count, countAt, type Draft } from "./observe/draft.ts";
import { guessCause, isFailure } from "./observe/guess-cause.ts";
import { addHeaders } from "./observe/headers.ts";
import { isInvalidField, REQUEST_FIELDS } from "./observe/invalid-field.ts";
import {
  addAskedPage,
  addDefaultPage,
  addRejectedPage,
  type DefaultPage,
  pagingQuery,
  readPage,
} from "./observe/list-paging.ts";
import { knownOfRequest, SentPayments } from "./observe/repeated.ts";
import { addBody, type ParsedBody, parseBody } from "./observe/shape.ts";
import { textsIn } from "./observe/texts.ts";
import { newRun } from "./run-name.ts";

/** Requests that are wrong only in their key: if the service accepts one, its response is a success. */
const REAL_SUCCESS: readonly (RejectionCause | undefined)[] = [
  ...([
    undefined,
    "no_key",
    "unknown_key",
    "wrong_kind",
    "missing_scope",
    "invalid_phone",
    "unusable_phone",
  ] as const),
];

const FIELD_CAUSES: readonly RejectionCause[] = [
  "invalid_field",
  "invalid_phone",
  "unusable_phone",
];
const KEY_CAUSES: readonly (RejectionCause | undefined)[] = ["wrong_kind", "missing_scope"];

/** The endpoints whose resource has a status. */
const STATEFUL = /payments|payment\/status|invoices/;

/** The field that an error names. */
function wrongField(body: ParsedBody): string | undefined {
  const texts = body.kind === "json" ? textsIn(body.value) : new Set<string>();
  return [...REQUEST_FIELDS].find((name) => texts.has(name));
}

const noResponse = (): Draft<ResponseShape> => ({ seen: {}, headers: {}, body: {} });

/** An exchange, and what is known of it at once. */
interface Read {
  readonly exchange: Exchange;
  readonly endpoint: Endpoint | undefined;
  /** `GET /merchant`, or `other`. */
  readonly place: string;
  readonly body: ParsedBody;
  readonly isFailure: boolean;
  readonly cause: RejectionCause | undefined;
}

class ProfileRecorder implements Recorder {
  readonly #run: string;
  /** What the base knew, and what this run has seen. */
  readonly #known: Draft<ServiceProfile>;
  readonly #counts: Draft<Run>;
  readonly #deliveries = new DeliveryObserver();
  readonly #payments = new SentPayments();
  readonly #defaultPages = new Map<string, DefaultPage>();

  constructor({ by, run = newRun(), base = EMPTY_PROFILE }: RecorderOptions) {
    this.#run = run;
    // A copy: every map and every set of a merge is a new one.
    this.#known = mergeProfiles(base, base) as Draft<ServiceProfile>;
    this.#counts = at<Draft<Run>>(this.#known.runs, run, () => ({
      by: [],
      requests: 0,
      deliveries: 0,
    }));
    addTo(this.#counts.by, by, 3);
  }

  get lists(): ServiceProfile["lists"] {
    return this.#known.lists;
  }

  profile(): ServiceProfile {
    return mergeProfiles(this.#known, this.#known);
  }

  record(exchange: Exchange): void {
    // A profile with another status could not be read again.
    if (!(exchange.status >= 200 && exchange.status <= 599)) return;
    try {
      const read = readExchange(exchange);
      this.#counts.requests++;
      this.#addRejection(read);
      this.#addResponse(read);
      this.#addKey(read);
      this.#addList(read);
      if (exchange.hasOrigin) this.#addOrigin(exchange);
    } catch {
      // What cannot be read teaches nothing, and must not end a payment.
    }
  }

  recordDelivery(delivery: DeliverySeen): void {
    try {
      this.#counts.deliveries++;
      const target = { ...this.#known, run: this.#run, payments: this.#payments };
      this.#deliveries.add(target, delivery);
    } catch {
      // As above.
    }
  }

  #addRejection({ exchange, place, body, isFailure, cause }: Read): void {
    if (cause === undefined) return;
    const { status, headers } = exchange;
    const byStatus = at<{ [status: string]: Draft<RejectionShape> }>(
      this.#known.rejections as Record<string, { [status: string]: Draft<RejectionShape> }>,
      cause,
      () => ({}),
    );
    const rejection = at<Draft<RejectionShape>>(byStatus, String(status), () => ({
      ...noResponse(),
      at: {},
    }));
    count(rejection.seen, this.#run);
    countAt(rejection.at, place, this.#run);
    if (!isFailure) {
      rejection.accepted ??= {};
      count(rejection.accepted, this.#run);
    }
    addHeaders(rejection.headers, headers, this.#run);
    const target = this.#target(exchange, rejection.body);
    const known = { status, field: FIELD_CAUSES.includes(cause) ? wrongField(body) : undefined };
    const isFieldKey = FIELD_CAUSES.includes(cause) ? isInvalidField : undefined;
    addBody({ ...target, known, keepsValues: true, isFieldKey }, body);
  }

  #addResponse({ exchange, endpoint, place, body, isFailure, cause }: Read): void {
    const { status, headers } = exchange;
    const isSuccess = !isFailure && REAL_SUCCESS.includes(cause);
    if (endpoint === undefined || !(isSuccess || status >= 500)) return;
    const byStatus = at<{ [status: string]: Draft<ResponseShape> }>(
      this.#known.endpoints,
      place,
      () => ({}),
    );
    const response = at<Draft<ResponseShape>>(byStatus, String(status), noResponse);
    count(response.seen, this.#run);
    addHeaders(response.headers, headers, this.#run);
    const target = this.#target(exchange, response.body);
    const value = body.kind === "json" ? body.value : undefined;
    const sent = knownOfRequest(exchange.path, exchange.sent);
    const isPayment = place.includes("payment");
    if (isSuccess && place.endsWith("/initiate")) this.#payments.add(sent, value);
    const known = isPayment ? { ...this.#payments.of(value), ...sent } : sent;
    addBody(
      { ...target, known, keepsValues: isSuccess, hasStates: isSuccess && STATEFUL.test(place) },
      body,
    );
  }

  #target({ path, query }: Exchange, shape: Draft<Shape>) {
    const sent = [...path.split("/"), ...(query?.values() ?? [])];
    return { shape, run: this.#run, timestamps: this.#known.timestamps, sent };
  }

  #addKey({ exchange, endpoint, place, isFailure, cause }: Read): void {
    const { key } = exchange;
    if (endpoint === undefined || key === undefined || key === "none" || key === "other") return;
    const isRejected = KEY_CAUSES.includes(cause) && isFailure;
    if (isFailure && !isRejected) return;
    const byEndpoint = at<Draft<ServiceProfile["keys"][string]>>(this.#known.keys, key, () => ({}));
    const counts = at<Draft<ServiceProfile["keys"][string][string]>>(byEndpoint, place, () => ({}));
    countAt(
      counts as Record<string, Record<string, number>>,
      isRejected ? "rejected" : "allowed",
      this.#run,
    );
  }

  #addList({ exchange, endpoint, place, body, isFailure, cause }: Read): void {
    if (endpoint?.list === undefined || exchange.status >= 500) return;
    const query = pagingQuery(exchange.query);
    const paging = () =>
      at<Draft<ServiceProfile["lists"][string]>>(this.#known.lists, place, () => ({}));
    if (isFailure) {
      if (cause === "invalid_field" && query.length > 0) addRejectedPage(paging(), query);
      return;
    }
    if (body.kind !== "json") return;
    const shape = this.#known.endpoints[place]?.[exchange.status]?.body ?? {};
    const list = findListPath(shape);
    const page = list === undefined ? undefined : readPage(body.value, list);
    if (page === undefined) return;
    const before = this.#defaultPages.get(place);
    if (query.length > 0) addAskedPage(paging(), page, query, before, this.#run);
    else if ((exchange.query?.size ?? 0) === 0) {
      this.#defaultPages.set(place, addDefaultPage(paging(), page, this.#run));
    }
  }

  #addOrigin({ headers }: Exchange): void {
    const isAllowed = [...headers].some(
      ([name]) => name.toLowerCase() === "access-control-allow-origin",
    );
    countAt(
      this.#known.browsers as Record<string, Record<string, number>>,
      isAllowed ? "allowed" : "rejected",
      this.#run,
    );
  }
}

function readExchange(exchange: Exchange): Read {
  const { method, path, status, cause } = exchange;
  const found = endpointFor(method, path)?.endpoint;
  const body = parseBody(exchange.body);
  const failed = isFailure(status, body);
  return {
    exchange,
    endpoint: found,
    place: found === undefined ? "other" : `${found.method} ${found.path}`,
    body,
    isFailure: failed,
    cause: cause ?? (failed && status < 500 ? guessCause(exchange, found) : undefined),
  };
}

/** Makes a recorder: see {@link Recorder}. */
export const createRecorder = (options: RecorderOptions): Recorder => new ProfileRecorder(options);
