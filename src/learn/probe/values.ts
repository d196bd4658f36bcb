import { findCursor, findField, findPagingName, referencesByStatus } from "./find-fields.ts";
import { firstId } from "./find-ids.ts";
import { unknownIdLike } from "./unknown-id.ts";

/** What a later request needs to know of an earlier response. */
interface Value {
  /** Why a request is left out without it. */
  readonly missing: string;
  /** How it is found in the body of a response. */
  readonly find?: (body: unknown) => string | undefined;
}

const NO_OTHER_STATUS = "the list shows no other status";

/** By the name that stands in braces in a request. */
const VALUES = {
  // A path that the key may read. The others are paths of resources that the merchant has.
  readable: { missing: "the key can read nothing" },
  payment: { missing: "there is no payment", find: (body) => findField(body, "reference") },
  // Payments of the other statuses in the list.
  otherPayment1: { missing: NO_OTHER_STATUS, find: (body) => referencesByStatus(body)[1] },
  otherPayment2: { missing: NO_OTHER_STATUS, find: (body) => referencesByStatus(body)[2] },
  otherPayment3: { missing: NO_OTHER_STATUS, find: (body) => referencesByStatus(body)[3] },
  invoice: { missing: "there is no invoice", find: (body) => firstId(body, "invoice") },
  // Ids of the same kind as the service's own, that nothing has.
  unknownPayment: {
    missing: "the payments could not be read",
    find: (body) => unknownIdLike(findField(body, "reference")),
  },
  unknownInvoice: {
    missing: "the invoices could not be read",
    find: (body) => unknownIdLike(firstId(body, "invoice")),
  },
  unknownWebhook: {
    missing: "the webhooks could not be read",
    find: (body) => unknownIdLike(firstId(body, "webhook")),
  },
  // What `--write` and `--prompt` make.
  mark: { missing: "nothing is created" },
  createdInvoice: { missing: "no invoice was created" },
  createdWebhook: { missing: "no webhook was registered" },
  phone: { missing: "no phone was given" },
  startedPayment: {
    missing: "no payment was started",
    find: (body) => findField(body, "reference"),
  },
  startedCheckout: {
    missing: "the service gave no checkout_request_id",
    find: (body) => findField(body, "checkout_request_id"),
  },
  // The query parameter that sets the length of a page, and where the next page begins.
  pageSize: { missing: "no parameter sets the length of a page here" },
  shownSize: {
    missing: "the response does not show the length of its page",
    find: (body) => findPagingName(body, "size"),
  },
  shownPage: {
    missing: "the response does not show the number of its page",
    find: (body) => findPagingName(body, "page") ?? findPagingName(body, "offset"),
  },
  firstItem: { missing: "the list shows no item", find: (body) => firstId(body, "invoice") },
  cursor: { missing: "the response has no cursor", find: findCursor },
} as const satisfies Record<string, Value>;

/** The name of a value that requests need. */
export type ValueName = keyof typeof VALUES;

/** A request with `{names}` of values in its texts. */
export interface Template {
  /** Below the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly [field: string]: string | number | readonly string[] };
  /** A body that is not JSON. */
  readonly text?: string;
}

const PLACE = /\{(\w+)\}/g;

/** What the probe knows at this moment, for the requests that are still to come. */
export class Values {
  readonly #values = new Map<string, string>();

  get(name: ValueName): string | undefined {
    return this.#values.get(name);
  }

  set(name: ValueName, value: string | undefined): void {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }

  /** Takes these values from the body of a response. */
  learn(names: readonly ValueName[], body: unknown): void {
    for (const name of names) this.set(name, (VALUES[name] as Value).find?.(body));
  }

  /** Why a request cannot be sent; `undefined` if every value that it needs is known. */
  reasonToSkip({ path, query, body }: Template): string | undefined {
    const names = JSON.stringify([path, query, body]).matchAll(PLACE);
    const missing = [...names].find(([, name = ""]) => !this.#values.has(name))?.[1];
    return missing && VALUES[missing as ValueName].missing;
  }

  /** The request with its values. */
  fill({ path, query = {}, body, text }: Template) {
    const value = (_: string, name: string) => this.#values.get(name) ?? "";
    const fill = (one: unknown) => (typeof one === "string" ? one.replace(PLACE, value) : one);
    const sent = body && JSON.parse(JSON.stringify(body), (_, one) => fill(one));
    return {
      // `readable` is a path, and every other value is one segment of it.
      path: path.replace(PLACE, (place, name) =>
        name === "readable" ? value(place, name) : encodeURIComponent(value(place, name)),
      ),
      query: new URLSearchParams(Object.entries(query).map((pair) => pair.map(fill) as string[])),
      sent: sent as unknown,
      body: text ?? ((sent && JSON.stringify(sent)) as string | undefined),
    };
  }
}
