import { ENDPOINTS, type EndpointName } from "../../../contract/endpoints.ts";
import { mergeValues } from "../../../profile/merge.ts";
import {
  childrenOf,
  findListPath,
  findResourcePath,
  lastName,
  ROOT,
} from "../../../profile/paths.ts";
import { type Place, toTree } from "../../../profile/place.ts";
import type { ServiceProfile, Shape } from "../../../profile/profile-types.ts";
import {
  endpointKey,
  type Found,
  findSuccess,
  isList,
  resourceShape,
} from "../../../profile/read.ts";
import { isStatusName } from "../../../profile/vocabulary/names.ts";

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

/** What an endpoint is about, if its namespace has another name. */
const SUBJECTS: Readonly<Partial<Record<EndpointName, string>>> = {
  "merchant.paymentAccounts": "account",
  "mobileMoney.initiate": "payment",
  "mobileMoney.status": "payment",
  "mobileMoney.validatePhone": "phone",
};

const subjectOf = (name: EndpointName): string => SUBJECTS[name] ?? name.replace(/s?\..*/, "");

type Groups = readonly (readonly EndpointName[])[];

/** The interface shows the envelope of these: it is not borrowed from others. */
const DOCUMENTED: Groups = [
  ["payments.get", "mobileMoney.status"],
  ["mobileMoney.initiate", "payments.initiate"],
];

/** Endpoints with the same shape: one that was not seen borrows that of another. */
const ALIKE: Groups = [
  ...DOCUMENTED,
  ["webhooks.register", "webhooks.update"],
  ["webhooks.delete", "invoices.delete"],
  ["invoices.get", "invoices.create", "invoices.update", "invoices.send"],
];

/** Endpoints with the same status for a success. */
const SAME_STATUS: Groups = [
  ["webhooks.register", "invoices.create"],
  ["webhooks.delete", "invoices.delete"],
  ["payments.initiate", "mobileMoney.initiate"],
];

const groupOf = (groups: Groups, name: EndpointName) =>
  groups.find((names) => names.includes(name)) ?? [];

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** A function that finds what belongs to a key only once. */
export function findOnce<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const found = new Map<Key, Value>();
  return (key) => {
    if (!found.has(key)) found.set(key, find(key));
    return found.get(key) as Value;
  };
}

/** Reads the templates of a profile, each when it is first needed. */
export class Templates {
  readonly #profile: ServiceProfile;

  constructor(profile: ServiceProfile) {
    this.#profile = profile;
  }

  /** `undefined`: nothing that is like it was seen. */
  readonly of = findOnce((name: EndpointName): Template | undefined => this.#find(name));

  /** The shape of a resource, at the first endpoint that was seen with a whole one. */
  resourceOf(subject: string): Place | undefined {
    const reads = ALIKE.find(([first]) => first && subjectOf(first) === subject) ?? [];
    const seen = reads.map((name) => this.#resource(name));
    return seen.find((place) => place?.types[0] === "object");
  }

  /** The shapes of a resource at all endpoints that return it. */
  shapesOf(subject: string): Place[] {
    const names = NAMES.filter((name) => subjectOf(name) === subject);
    return names.flatMap((name) => this.#resource(name) ?? []);
  }

  #seen(name: EndpointName): Found | undefined {
    return findSuccess(this.#profile, endpointKey(name));
  }

  #find(name: EndpointName): Template | undefined {
    const own = this.#read(name);
    if (own !== undefined) return own;
    const statuses = groupOf(SAME_STATUS, name).map((other) => this.#seen(other)?.status);
    const status = statuses.find((one) => one !== undefined);
    for (const other of groupOf(ALIKE, name)) {
      const borrowed = this.#read(other, name);
      if (borrowed !== undefined) return { ...borrowed, status };
    }
    const isDocumented = (one: EndpointName) => groupOf(DOCUMENTED, one).length > 0;
    if (isDocumented(name)) return undefined;
    // The envelope of another endpoint, around a resource that was not seen.
    for (const other of NAMES) {
      const isOther = isList(other) !== isList(name) || isDocumented(other);
      if (isOther || ENDPOINTS[other].method === "DELETE") continue;
      const borrowed = this.#read(other, name);
      if (borrowed === undefined || borrowed.root.types[0] === "text") continue;
      return {
        ...borrowed,
        status,
        inner: isList(name) ? this.resourceOf(subjectOf(name)) : undefined,
      };
    }
    return undefined;
  }

  /** The template that an endpoint was seen with. */
  #read(name: EndpointName, borrower: EndpointName = name): Template | undefined {
    const found = this.#seen(name);
    if (found === undefined) return undefined;
    const { body } = found.response;
    const at = (isList(name) ? findListPath(body) : findResourcePath(body)) ?? ROOT;
    const rename = renamer(name, borrower);
    const root = toTree(isList(name) ? this.#withEnvelopes(body, at) : body, rename);
    if (root === undefined) return undefined;
    const own = this.#resource(name, rename);
    // An item of a list has the shape of the resource, if no item was seen.
    const inner = own ?? (isList(name) ? this.resourceOf(subjectOf(borrower)) : undefined);
    return { status: found.status, found, root, at, inner };
  }

  /** The resource that an endpoint returns, or an item of its list. */
  #resource(name: EndpointName, rename?: (key: string) => string): Place | undefined {
    return this.resourceLike(resourceShape(this.#profile, name), subjectOf(name), rename);
  }

  /** A resource with what endpoints show of it: what repeats a value, and further statuses. */
  resourceLike(own: Shape, subject: string, rename?: (key: string) => string): Place | undefined {
    let shape = own;
    for (const name of NAMES.filter((one) => subjectOf(one) === subject)) {
      const other = resourceShape(this.#profile, name);
      const same = Object.entries(other).flatMap(([path, field]) =>
        path in own && field.same ? [[path, { same: field.same }] as const] : [],
      );
      const seen = areAlike(own, other) ? other : (Object.fromEntries(same) as Shape);
      shape = mergeValues(shape, seen);
    }
    return toTree(shape, rename);
  }

  /** A list with what other lists show beside their items: a cursor is there only if there is more. */
  #withEnvelopes(body: Shape, at: string): Shape {
    if (at === ROOT) return body;
    const lists = NAMES.filter(isList).map((name) => this.#seen(name)?.response.body ?? {});
    return lists.reduce((whole, other) => {
      const places = [findListPath(other), at, ROOT];
      const beside = Object.entries(other).filter(
        ([path]) => !path.includes("[]") && !places.includes(path),
      );
      return mergeValues(whole, Object.fromEntries(beside));
    }, body);
  }
}

/** `invoice_id` in a shape that was borrowed for a webhook is `webhook_id`. */
function renamer(from: EndpointName, to: EndpointName): (key: string) => string {
  const own = new RegExp(`^${subjectOf(from)}(?=s?$|_|[A-Z])`);
  return (key) => key.replace(own, subjectOf(to));
}

/** The fields of a resource in each of its statuses, in small letters. */
function fieldsByStatus(shape: Shape): Map<string, string> {
  const [, status] =
    Object.entries(shape).find(
      ([path, { values }]) => values !== undefined && isStatusName(lastName(path)),
    ) ?? [];
  const states = status?.values?.map((value) => value.toLowerCase()) ?? [];
  const fieldsIn = (state: string) =>
    childrenOf(shape, ROOT).filter((name) => shape[name]?.states?.[state] ?? !shape[name]?.states);
  return new Map(states.map((state) => [state, fieldsIn(state).join()]));
}

/** Whether two endpoints show the same: they are alike in a status that both were seen with. */
function areAlike(one: Shape, other: Shape): boolean {
  const fields = fieldsByStatus(other);
  return [...fieldsByStatus(one)].some(([state, names]) => fields.get(state) === names);
}
