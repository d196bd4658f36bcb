import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import { findListPath, findResourcePath, ROOT } from "../../../profile/paths.ts";
import { endpointKey, type Found, findSuccess } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { type Place, placeAt, toTree } from "./shape-tree.ts";

/** The shape of the success of an endpoint, as it was seen there or at an endpoint that is like it. */
export interface Template {
  /** `undefined`: only the body is known. */
  readonly status: number | undefined;
  readonly found: Found;
  readonly root: Place;
  /** Where the resource or the list stands. */
  readonly at: string;
  /** The resource, or an item of the list. `undefined`: it was not seen. */
  readonly inner: Place | undefined;
}

/** What an endpoint is about, for borrowed shapes: singular and plural. */
const SUBJECTS: readonly (readonly [prefix: string, one: string, many: string])[] = [
  ["merchant.paymentAccounts", "account", "accounts"],
  ["merchant", "merchant", "merchants"],
  ["mobileMoney.validatePhone", "phone", "phones"],
  ["webhooks", "webhook", "webhooks"],
  ["invoices", "invoice", "invoices"],
  ["", "payment", "payments"],
];

const subjectOf = (name: EndpointName) =>
  SUBJECTS.find(([prefix]) => name.startsWith(prefix)) as (typeof SUBJECTS)[number];

/** Endpoints with the same status for a success. */
const SAME_STATUS: readonly (readonly EndpointName[])[] = [
  ["webhooks.register", "invoices.create"],
  ["webhooks.delete", "invoices.delete"],
  ["payments.initiate", "mobileMoney.initiate"],
];

/** Where the shape of a success is borrowed from, where the endpoint itself was not seen. */
const ALIKE: Partial<Record<EndpointName, readonly EndpointName[]>> = {
  "payments.get": ["mobileMoney.status"],
  "mobileMoney.status": ["payments.get"],
  "payments.initiate": ["mobileMoney.initiate"],
  "mobileMoney.initiate": ["payments.initiate"],
  "webhooks.register": ["webhooks.update"],
  "webhooks.update": ["webhooks.register"],
  "webhooks.delete": ["invoices.delete"],
  "invoices.delete": ["webhooks.delete"],
  "invoices.create": ["invoices.get", "invoices.update", "invoices.send"],
  "invoices.get": ["invoices.create", "invoices.update", "invoices.send"],
  "invoices.update": ["invoices.get", "invoices.create", "invoices.send"],
  "invoices.send": ["invoices.get", "invoices.update", "invoices.create"],
};

/** The interface shows the envelope of these: it is not borrowed from others. */
const DOCUMENTED: readonly EndpointName[] = [
  "payments.get",
  "mobileMoney.initiate",
  "mobileMoney.status",
  "payments.initiate",
];

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const isList = (name: EndpointName) => (ENDPOINTS[name] as Endpoint).list === true;
const isDeletion = (name: EndpointName) => ENDPOINTS[name].method === "DELETE";

/** Reads the templates of a profile, each when it is first needed. */
export class Templates {
  readonly #profile: ServiceProfile;
  readonly #known = new Map<EndpointName, Template | undefined>();

  constructor(profile: ServiceProfile) {
    this.#profile = profile;
  }

  /** `undefined`: nothing that is like it was seen. */
  of(name: EndpointName): Template | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#find(name));
    return this.#known.get(name);
  }

  /** The shape of a resource, wherever it was seen. */
  resourceOf(names: readonly EndpointName[]): Place | undefined {
    for (const name of names) {
      const seen = this.#seen(name);
      const inner = seen && this.#read(name, seen)?.inner;
      if (inner?.types[0] === "object") return inner;
    }
    return undefined;
  }

  #seen(name: EndpointName): Found | undefined {
    return findSuccess(this.#profile, endpointKey(name));
  }

  #find(name: EndpointName): Template | undefined {
    const own = this.#seen(name);
    if (own !== undefined) return this.#read(name, own);
    for (const other of ALIKE[name] ?? []) {
      const found = this.#seen(other);
      const borrowed = found && this.#read(other, found, name);
      if (borrowed !== undefined) return { ...borrowed, status: this.#status(name) };
    }
    return this.#envelopeOfOthers(name);
  }

  /** The envelope of another endpoint, around a resource that was not seen. */
  #envelopeOfOthers(name: EndpointName): Template | undefined {
    if (DOCUMENTED.includes(name)) return undefined;
    const others = NAMES.filter(
      (other) =>
        isList(other) === isList(name) && !isDeletion(other) && !DOCUMENTED.includes(other),
    );
    for (const other of others) {
      const found = this.#seen(other);
      const borrowed = found && this.#read(other, found, name);
      if (borrowed === undefined || borrowed.root.types[0] === "text") continue;
      const inner = isList(name) ? this.#itemOf(name) : undefined;
      return { ...borrowed, status: this.#status(name), inner };
    }
    return undefined;
  }

  /** An item of a list has the shape of the resource, where no item was seen. */
  #itemOf(name: EndpointName): Place | undefined {
    const [one] = name.split(".");
    return (
      this.resourceOf(NAMES.filter((other) => other.startsWith(`${one}.g`) && !isList(other))) ??
      this.resourceOf(
        NAMES.filter(
          (other) => /\.(create|register|update)$/.test(other) && other.startsWith(`${one}.`),
        ),
      )
    );
  }

  #status(name: EndpointName): number | undefined {
    const group = SAME_STATUS.find((names) => names.includes(name)) ?? [];
    const found = group.map((other) => this.#seen(other)).find((one) => one !== undefined);
    return found?.status;
  }

  #read(name: EndpointName, found: Found, borrower: EndpointName = name): Template | undefined {
    const { body } = found.response;
    const root = toTree(body, ROOT, renamer(name, borrower));
    if (root === undefined) return undefined;
    const at = (isList(name) ? findListPath(body) : findResourcePath(body)) ?? ROOT;
    const place = placeAt(root, at);
    const inner = isList(name) ? (place?.item ?? this.#itemOf(borrower)) : place;
    return { status: found.status, found, root, at, inner };
  }
}

/** `invoice_id` in a shape that was borrowed for a webhook is `webhook_id`. */
function renamer(from: EndpointName, to: EndpointName): (key: string) => string {
  const [, one, many] = subjectOf(from);
  const [, otherOne, otherMany] = subjectOf(to);
  if (one === otherOne) return (key) => key;
  return (key) => {
    if (key === many) return otherMany;
    return key.replace(new RegExp(`^${one}(?=$|_|[A-Z])`), otherOne);
  };
}
