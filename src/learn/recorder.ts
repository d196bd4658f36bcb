import { type Endpoint, endpointFor } from "../contract/endpoints.ts";
import type { RefusalCause } from "../profile/causes.ts";
import { mergeProfiles } from "../profile/merge.ts";
import { findListPath } from "../profile/paths.ts";
import {
  EMPTY_PROFILE,
  type RefusalShape,
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
import { isInvalidField } from "./observe/invalid-field.ts";
import {
  addAskedPage,
  addDefaultPage,
  addRefusedPage,
  type DefaultPage,
  pagingQuery,
  readPage,
} from "./observe/list-facts.ts";
import { addBody, type ParsedBody, parseBody } from "./observe/shape.ts";
import { newRun } from "./run-name.ts";

/** Requests that are wrong only in their key: if the service accepts one, its response is a success. */
const REAL_SUCCESS: readonly (RefusalCause | undefined)[] = [
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

const FIELD_CAUSES: readonly RefusalCause[] = ["invalid_field", "invalid_phone", "unusable_phone"];
const KEY_CAUSES: readonly (RefusalCause | undefined)[] = ["wrong_kind", "missing_scope"];

const noResponse = (): Draft<ResponseShape> => ({ seen: {}, headers: {}, body: {} });

/** An exchange, and what is known of it at once. */
interface Read {
  readonly exchange: Exchange;
  readonly endpoint: Endpoint | undefined;
  /** `GET /merchant`, or `other`. */
  readonly place: string;
  readonly body: ParsedBody;
  readonly isFailure: boolean;
  readonly cause: RefusalCause | undefined;
}

class ProfileRecorder implements Recorder {
  readonly #run: string;
  /** What the base knew, and what this run has seen. */
  readonly #known: Draft<ServiceProfile>;
  readonly #counts: Draft<Run>;
  readonly #deliveries = new DeliveryObserver();
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

  profile(): ServiceProfile {
    return mergeProfiles(this.#known, this.#known);
  }

  record(exchange: Exchange): void {
    try {
      const read = readExchange(exchange);
      this.#counts.requests++;
      this.#addRefusal(read);
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
      this.#deliveries.add({ ...this.#known, run: this.#run }, delivery);
    } catch {
      // As above.
    }
  }

  #addRefusal({ exchange, place, body, isFailure, cause }: Read): void {
    if (cause === undefined) return;
    const { status, headers } = exchange;
    const byStatus = at<{ [status: string]: Draft<RefusalShape> }>(
      this.#known.refusals as Record<string, { [status: string]: Draft<RefusalShape> }>,
      cause,
      () => ({}),
    );
    const refusal = at<Draft<RefusalShape>>(byStatus, String(status), () => ({
      ...noResponse(),
      at: {},
    }));
    count(refusal.seen, this.#run);
    countAt(refusal.at, place, this.#run);
    if (!isFailure) {
      refusal.accepted ??= {};
      count(refusal.accepted, this.#run);
    }
    addHeaders(refusal.headers, headers, this.#run);
    const target = this.#target(exchange, refusal.body);
    const isFieldKey = FIELD_CAUSES.includes(cause) ? isInvalidField : undefined;
    addBody({ ...target, keepsValues: false, isFieldKey }, body);
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
    addBody({ ...target, keepsValues: isSuccess }, body);
  }

  #target({ path, query }: Exchange, shape: Draft<Shape>) {
    const sent = [...path.split("/"), ...(query?.values() ?? [])];
    return { shape, run: this.#run, timestamps: this.#known.timestamps, sent };
  }

  #addKey({ exchange, endpoint, place, isFailure, cause }: Read): void {
    const { key } = exchange;
    if (endpoint === undefined || key === undefined || key === "none" || key === "other") return;
    const isRefused = KEY_CAUSES.includes(cause) && isFailure;
    if (isFailure && !isRefused) return;
    const byEndpoint = at<Draft<ServiceProfile["keys"][string]>>(this.#known.keys, key, () => ({}));
    const counts = at<Draft<ServiceProfile["keys"][string][string]>>(byEndpoint, place, () => ({}));
    countAt(
      counts as Record<string, Record<string, number>>,
      isRefused ? "refused" : "allowed",
      this.#run,
    );
  }

  #addList({ exchange, endpoint, place, body, isFailure, cause }: Read): void {
    if (endpoint?.list === undefined || exchange.status >= 500) return;
    const query = pagingQuery(exchange.query);
    const facts = () =>
      at<Draft<ServiceProfile["lists"][string]>>(this.#known.lists, place, () => ({}));
    if (isFailure) {
      if (cause === "invalid_field" && query.length > 0) addRefusedPage(facts(), query);
      return;
    }
    if (body.kind !== "json") return;
    const shape = this.#known.endpoints[place]?.[exchange.status]?.body ?? {};
    const list = findListPath(shape);
    const page = list === undefined ? undefined : readPage(body.value, list);
    if (page === undefined) return;
    const before = this.#defaultPages.get(place);
    if (query.length > 0) addAskedPage(facts(), page, query, before, this.#run);
    else if ((exchange.query?.size ?? 0) === 0) {
      this.#defaultPages.set(place, addDefaultPage(facts(), page, this.#run));
    }
  }

  #addOrigin({ headers }: Exchange): void {
    const isAllowed = [...headers].some(
      ([name]) => name.toLowerCase() === "access-control-allow-origin",
    );
    countAt(
      this.#known.browsers as Record<string, Record<string, number>>,
      isAllowed ? "allowed" : "refused",
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
