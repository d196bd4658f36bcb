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
import {
  endpointKey,
  type Found,
  findSuccess,
  isList,
  resourceShape,
} from "../../../profile/read.ts";
import type { FieldShape, ServiceProfile, Shape } from "../../../profile/types.ts";

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

/** What an endpoint is about, by the beginning of its name. */
const SUBJECTS: readonly (readonly [prefix: string, subject: string])[] = [
  ["merchant.paymentAccounts", "account"],
  ["merchant", "merchant"],
  ["mobileMoney.validatePhone", "phone"],
  ["webhooks", "webhook"],
  ["invoices", "invoice"],
];

const subjectOf = (name: EndpointName): string =>
  SUBJECTS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? "payment";

/** Endpoints with the same shape: one that was not seen borrows that of another. */
const ALIKE: readonly (readonly EndpointName[])[] = [
  ["payments.get", "mobileMoney.status"],
  ["mobileMoney.initiate", "payments.initiate"],
  ["webhooks.register", "webhooks.update"],
  ["webhooks.delete", "invoices.delete"],
  ["invoices.get", "invoices.create", "invoices.update", "invoices.send"],
];

/** Endpoints with the same status for a success. */
const SAME_STATUS: readonly (readonly EndpointName[])[] = [
  ["webhooks.register", "invoices.create"],
  ["webhooks.delete", "invoices.delete"],
  ["payments.initiate", "mobileMoney.initiate"],
];

const groupOf = (groups: readonly (readonly EndpointName[])[], name: EndpointName) =>
  groups.find((names) => names.includes(name)) ?? [];

/** The interface shows the envelope of these: it is not borrowed from others. */
const DOCUMENTED = [...(ALIKE[0] ?? []), ...(ALIKE[1] ?? [])];

const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

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

  /** The shape of a resource, at the first of some endpoints that was seen. */
  resourceOf(names: readonly EndpointName[]): Place | undefined {
    const seen = names.map((name) => this.#resource(name));
    return seen.find((place) => place?.types[0] === "object");
  }

  /** The shapes of a resource at all endpoints that return it. */
  shapesOf(subject: string): Place[] {
    return NAMES.filter((name) => subjectOf(name) === subject).flatMap(
      (name) => this.#resource(name) ?? [],
    );
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
    if (DOCUMENTED.includes(name)) return undefined;
    // The envelope of another endpoint, around a resource that was not seen.
    for (const other of NAMES) {
      const isOther = isList(other) !== isList(name) || DOCUMENTED.includes(other);
      if (isOther || ENDPOINTS[other].method === "DELETE") continue;
      const borrowed = this.#read(other, name);
      if (borrowed === undefined || borrowed.root.types[0] === "text") continue;
      return { ...borrowed, status, inner: isList(name) ? this.#itemOf(name) : undefined };
    }
    return undefined;
  }

  /** An item of a list has the shape of the resource, if no item was seen. */
  #itemOf(name: EndpointName): Place | undefined {
    const reads = ALIKE.find(([first]) => first && subjectOf(first) === subjectOf(name));
    return this.resourceOf(reads ?? []);
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
    const inner = own ?? (isList(name) ? this.#itemOf(borrower) : undefined);
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
  const [one, other] = [subjectOf(from), subjectOf(to)];
  const own = new RegExp(`^${one}(?=s?$|_|[A-Z])`);
  return (key) => key.replace(own, other);
}

/** The statuses of a resource, in small letters. */
const statesOf = (shape: Shape): string[] => {
  const status = Object.entries(shape).find(
    ([path, { values }]) => values !== undefined && /(?:status|state)$/i.test(lastName(path)),
  );
  return status?.[1].values?.map((value) => value.toLowerCase()) ?? [];
};

/** The fields that a resource has in a status. */
const keysIn = (shape: Shape, state: string): string =>
  childrenOf(shape, ROOT)
    .filter((name) => {
      const { states } = shape[name] as FieldShape;
      return states === undefined || states[state] !== undefined;
    })
    .join();

/** Whether two endpoints show the same: they are alike in a status that both were seen with. */
const areAlike = (one: Shape, other: Shape): boolean =>
  statesOf(one).some(
    (state) => statesOf(other).includes(state) && keysIn(one, state) === keysIn(other, state),
  );
