import { pathSegment } from "../../client/http/url.ts";
import { textFormat } from "../../profile/vocabulary/formats.ts";
import {
  findCursor,
  findField,
  findPagingName,
  firstId,
  referencesByStatus,
} from "./find-fields.ts";

const MAX_INTEGER = 2_147_483_647;
const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const random = (limit: number): number =>
  Math.floor((crypto.getRandomValues(new Uint32Array(1))[0] as number) % limit);

const pick = (alphabet: string) => () => alphabet[random(alphabet.length)] as string;

const UNKNOWN = "malipo-probe-unknown";

/** An id of the same kind as one of the service's, which nothing has. */
export function unknownIdLike(id: string | undefined): string {
  if (id === undefined) return UNKNOWN;
  if (textFormat(id) === "uuid") return crypto.randomUUID();
  // Above every id in use, and within what a database column holds.
  if (/^\d{1,10}$/.test(id)) return String(MAX_INTEGER - 1 - random(1_000));
  const [prefix = ""] = /^[A-Za-z]+[-_]/.exec(id) ?? [];
  const rest = id.slice(prefix.length);
  // Nothing in it can be another one: it would stay the id of a resource.
  if (!/[0-9A-Za-z]/.test(rest)) return UNKNOWN;
  const other = rest.replace(/\d/g, pick(DIGITS)).replace(/[a-z]/g, pick(LETTERS));
  return prefix + other.replace(/[A-Z]/g, pick(LETTERS.toUpperCase()));
}

/** Why a request is left out without a value, and how the value is found in the body of a response. */
type Value = readonly [missing: string, find?: (body: unknown) => string | undefined];

const reference = (body: unknown) => findField(body, "reference");
const invoice = (body: unknown) => firstId(body, "invoice");
const webhook = (body: unknown) => firstId(body, "webhook");
const otherPayment = (index: number): Value => [
  "the list shows no other status",
  (body) => referencesByStatus(body)[index],
];

/** What later requests need to know of earlier responses, by the name that stands in braces. */
const VALUES = {
  // Paths that the key may read. The others are segments of paths of resources that the merchant has.
  readable: ["the key can read nothing"],
  longestList: ["no list can be read"],
  payment: ["there is no payment", reference],
  // Payments of the other statuses in the list.
  otherPayment1: otherPayment(1),
  otherPayment2: otherPayment(2),
  otherPayment3: otherPayment(3),
  invoice: ["there is no invoice", invoice],
  // Ids of the same kind as the service's own, that nothing has.
  unknownPayment: ["the payments could not be read", (body) => unknownIdLike(reference(body))],
  unknownInvoice: ["the invoices could not be read", (body) => unknownIdLike(invoice(body))],
  unknownWebhook: ["the webhooks could not be read", (body) => unknownIdLike(webhook(body))],
  // What `--write` and `--prompt` make.
  mark: ["nothing is created"],
  createdInvoice: ["no invoice was created"],
  createdWebhook: ["no webhook was registered"],
  phone: ["no phone was given"],
  startedPayment: ["no payment was started", reference],
  startedCheckout: [
    "the service gave no checkout_request_id",
    (body) => findField(body, "checkout_request_id"),
  ],
  // The query parameter that sets the length of a page, and the one that says at which row the next page begins.
  pageSize: ["no parameter sets the length of a page here"],
  shownSize: [
    "the response does not show the length of its page",
    (body) => findPagingName(body, "size"),
  ],
  shownPage: [
    "the response does not show the number of its page",
    (body) => findPagingName(body, "page") ?? findPagingName(body, "offset"),
  ],
  firstItem: ["the list shows no item", invoice],
  cursor: ["the response has no cursor", findCursor],
} as const satisfies Record<string, Value>;

/** The name of a value that requests need. */
export type ValueName = keyof typeof VALUES;

/** A request with `{names}` of values in its texts. */
export interface Template {
  /** The path below the base URL. */
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

  /** What no path can hold is not known: most values become a segment of one. */
  set(name: ValueName, value: string | undefined): void {
    if (value === undefined || pathSegment(value) === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
  }

  /** Takes these values from the body of a response. */
  learn(names: readonly ValueName[], body: unknown): void {
    for (const name of names) this.set(name, (VALUES[name] as Value)[1]?.(body));
  }

  /** Why a request cannot be sent; `undefined` if every value that it needs is known. */
  reasonToSkip({ path, query, body }: Template): string | undefined {
    const names = JSON.stringify([path, query, body]).matchAll(PLACE);
    const missing = [...names].find(([, name = ""]) => !this.#values.has(name))?.[1];
    return missing && VALUES[missing as ValueName][0];
  }

  /** The request with its values. */
  fill({ path, query = {}, body, text }: Template) {
    const value = (_: string, name: string) => this.#values.get(name) ?? "";
    const fill = (one: unknown) => (typeof one === "string" ? one.replace(PLACE, value) : one);
    const sent = body && JSON.parse(JSON.stringify(body), (_, one) => fill(one));
    return {
      // A whole path, or one segment of it.
      path: path.startsWith("{")
        ? path.replace(PLACE, value)
        : path.replace(PLACE, (place, name) => pathSegment(value(place, name)) ?? UNKNOWN),
      query: new URLSearchParams(Object.entries(query).map((pair) => pair.map(fill) as string[])),
      sent: sent as unknown,
      body: text ?? ((sent && JSON.stringify(sent)) as string | undefined),
    };
  }
}
