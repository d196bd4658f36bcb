import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import { mergeValues } from "../../../profile/merge.ts";
import { findListPath, findResourcePath, ROOT } from "../../../profile/paths.ts";
import { endpointKey, type Found, findSuccess } from "../../../profile/read.ts";
import type { ServiceProfile, Shape } from "../../../profile/types.ts";
import { findPlace, inState, type Place, placeAt, toTree } from "./shape-tree.ts";

/** The shape of the success of an endpoint, as it was seen there or at an endpoint that is like it. */
export interface Template {
  /** `undefined`: only the body is known. */
  readonly status: number | undefined;
  readonly found: Found;
  readonly root: Place;
  /** The path of the resource or the list. */
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

/** The endpoints whose shape is borrowed, if the endpoint itself was not seen. */
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
const LISTS = NAMES.filter(isList);

/** Reads the templates of a profile, each when it is first needed. */
export class Templates {
  readonly #profile: ServiceProfile;
  readonly #known = new Map<EndpointName, Template | undefined>();
  readonly #repeated = new Map<string, Map<string, readonly string[]>>();

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
      const inner = this.#read(name)?.inner;
      if (inner?.types[0] === "object") return inner;
    }
    return undefined;
  }

  /** What a place of a resource repeats: there, or at another endpoint with this resource. */
  repeatedAt(resource: string, root: Place, { path, same }: Place): readonly string[] {
    const subject = resource === "initiation" ? "payment" : resource;
    const repeated = this.#repeated.get(subject) ?? this.#collectRepeated(subject);
    this.#repeated.set(subject, repeated);
    return [...same, ...(repeated.get(relative(root, path)) ?? [])];
  }

  /** Every shape of a resource. */
  shapesOf(subject: string): Place[] {
    const names = NAMES.filter((name) => subjectOf(name)[1] === subject);
    return names.flatMap((name) => this.#read(name)?.inner ?? []);
  }

  #collectRepeated(subject: string): Map<string, readonly string[]> {
    const repeated = new Map<string, readonly string[]>();
    for (const root of this.shapesOf(subject)) {
      const collect = (place: Place): void => {
        const path = relative(root, place.path);
        const same = [...(repeated.get(path) ?? []), ...place.same];
        if (same.length > 0) repeated.set(path, same);
        for (const inner of place.fields) collect(inner);
      };
      collect(root);
    }
    return repeated;
  }

  #seen(name: EndpointName): Found | undefined {
    return findSuccess(this.#profile, endpointKey(name));
  }

  #find(name: EndpointName): Template | undefined {
    const own = this.#read(name);
    if (own !== undefined) return own;
    for (const other of ALIKE[name] ?? []) {
      const borrowed = this.#read(other, name);
      if (borrowed !== undefined) return { ...borrowed, status: this.#status(name) };
    }
    return this.#envelopeOfOthers(name);
  }

  /** The envelope of another endpoint, around a resource that was not seen. */
  #envelopeOfOthers(name: EndpointName): Template | undefined {
    if (DOCUMENTED.includes(name)) return undefined;
    for (const other of NAMES) {
      if (isList(other) !== isList(name) || isDeletion(other) || DOCUMENTED.includes(other))
        continue;
      const borrowed = this.#read(other, name);
      if (borrowed === undefined || borrowed.root.types[0] === "text") continue;
      const inner = isList(name) ? this.#itemOf(name) : undefined;
      return { ...borrowed, status: this.#status(name), inner };
    }
    return undefined;
  }

  /** An item of a list has the shape of the resource, if no item was seen. */
  #itemOf(name: EndpointName): Place | undefined {
    const [one] = name.split(".");
    const own = NAMES.filter((other) => other.startsWith(`${one}.`) && !isList(other));
    const reads = own.filter((other) => other.startsWith(`${one}.g`));
    const writes = own.filter((other) => /\.(create|register|update)$/.test(other));
    return this.resourceOf([...reads, ...writes]);
  }

  #status(name: EndpointName): number | undefined {
    const group = SAME_STATUS.find((names) => names.includes(name)) ?? [];
    return group.map((other) => this.#seen(other)).find((one) => one !== undefined)?.status;
  }

  /** The template that an endpoint was seen with. */
  #read(name: EndpointName, borrower: EndpointName = name): Template | undefined {
    const found = this.#seen(name);
    if (found === undefined) return undefined;
    const { body } = found.response;
    const at = (isList(name) ? findListPath(body) : findResourcePath(body)) ?? ROOT;
    const whole = isList(name) ? this.#withEnvelopes(body, at) : body;
    const root = toTree(whole, renamer(name, borrower));
    if (root === undefined) return undefined;
    const place = placeAt(root, at);
    const inner = isList(name) ? (place?.item ?? this.#itemOf(borrower)) : place;
    return { status: found.status, found, root, at, inner };
  }

  /** A list with what other lists show beside their items: a cursor is there only if there is more. */
  #withEnvelopes(body: Shape, at: string): Shape {
    let whole = body;
    for (const name of LISTS) {
      const other = this.#seen(name)?.response.body ?? {};
      const list = findListPath(other);
      const beside = Object.entries(other).filter(
        ([path]) => !path.includes("[]") && path !== list && path !== at && path !== ROOT,
      );
      if (at !== ROOT) whole = mergeValues(whole, Object.fromEntries(beside));
    }
    return whole;
  }
}

const relative = (root: Place, path: string): string =>
  root.path === ROOT ? path : path.slice(root.path.length + 1);

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

/** The place of the status of a resource. */
const statusPlaceOf = (root: Place): Place | undefined =>
  findPlace(root, ({ values, name }) => values.length > 0 && /status$|state$/.test(name));

const statesOf = (root: Place): string[] =>
  (statusPlaceOf(root)?.values ?? []).map((value) => value.toLowerCase());

const keysIn = (root: Place, state: string): string =>
  root.fields
    .filter((field) => inState(field, state).presence > 0)
    .map(({ key }) => key)
    .join();

/** The shape of a resource in a status: the nearest that was seen with it. */
export function shapeInState(
  root: Place,
  shapes: readonly Place[],
  choose: (values: readonly string[]) => string,
): { readonly shape: Place; readonly state: string | undefined } {
  const values = [root, ...shapes].flatMap((one) => statusPlaceOf(one)?.values ?? []);
  const state = choose(values).toLowerCase();
  if (statesOf(root).includes(state)) return { shape: root, state };
  // Another endpoint shows the same, if they are alike in a status that both were seen with.
  const isAlike = (other: Place) =>
    statesOf(root).some(
      (one) => statesOf(other).includes(one) && keysIn(root, one) === keysIn(other, one),
    );
  const shape = shapes.find((other) => statesOf(other).includes(state) && isAlike(other));
  return shape === undefined ? { shape: root, state: undefined } : { shape, state };
}
