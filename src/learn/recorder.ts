import type { RejectionCause } from "../profile/causes.ts";
import { mergeValues } from "../profile/merge.ts";
import { findListPath } from "../profile/paths.ts";
import { type Counts, EMPTY_PROFILE, type ServiceProfile } from "../profile/types.ts";
import { type DeliverySeen, type Exchange, headerValue } from "./exchange.ts";
import { type Additions, add } from "./observe/additions.ts";
import { DeliveryObserver } from "./observe/deliveries.ts";
import { headersOf } from "./observe/headers.ts";
import { isInvalidField, wrongField } from "./observe/invalid-field.ts";
import {
  askedOf,
  askedPageAdditions,
  defaultPageAdditions,
  type Page,
  readPage,
  rejectedPageAdditions,
} from "./observe/list-paging.ts";
import { type ReadExchange, readExchange } from "./observe/read-exchange.ts";
import { knownOfRequest, SentPayments } from "./observe/repeated.ts";
import { collapse, type ShapeOptions, shapeOf } from "./observe/shape.ts";

type Causes = readonly (RejectionCause | undefined)[];

const FIELD_CAUSES: Causes = ["invalid_field", "invalid_phone", "unusable_phone"];
const KEY_CAUSES: Causes = ["wrong_kind", "missing_scope"];

/** Requests that are wrong only in their key or phone: if the service accepts one, its response is a success. */
const REAL_SUCCESS: Causes = [
  ...([undefined, "no_key", "unknown_key", "invalid_phone", "unusable_phone"] as const),
  ...KEY_CAUSES,
];

/** The endpoints whose resource has a status. */
const STATEFUL = /payments|payment\/status|invoices/;

export interface RecorderOptions {
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
      const read = readExchange(exchange);
      this.#add({ runs: { [this.#run]: { requests: 1 } } });
      if (read.cause !== undefined) this.#addRejection(read, read.cause);
      this.#addResponse(read);
      this.#addKey(read);
      this.#addList(read);
      if (exchange.hasOrigin) this.#addOrigin(exchange);
    } catch {
      // What cannot be read teaches nothing, and must not end a payment.
    }
  }

  /** Adds a delivery. Never throws. */
  recordDelivery(delivery: DeliverySeen): void {
    try {
      this.#add({ runs: { [this.#run]: { deliveries: 1 } } });
      this.#add(this.#deliveries.additionsOf(delivery, this.#one, this.#payments));
      for (const { body } of Object.values(this.#known.events)) collapse(body);
    } catch {
      // As above.
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
    });
    this.#add({ endpoints: { [place]: { [status]: response } } });
    collapse(this.#known.endpoints[place]?.[status]?.body);
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
