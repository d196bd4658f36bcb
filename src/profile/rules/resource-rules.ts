import type { EndpointName } from "../../contract/endpoints.ts";
import { total } from "../merge.ts";
import { findResourcePath, shapeAt } from "../paths.ts";
import { type Place, toTree } from "../place.ts";
import type { ServiceProfile, Shape } from "../profile-types.ts";
import { endpointKey, findSuccess, resourceShape } from "../read.ts";
import { enumerate, type Finding, fieldDifferences, type Rule, textsOf } from "./finding.ts";

/** The endpoints that return a resource, and what identifies it. */
interface ResourceRow {
  readonly what: string;
  /** The name of its id in the sandbox, then other names under which services have it. */
  readonly ids: readonly [assumed: string, ...others: string[]];
  readonly endpoints: readonly EndpointName[];
  /** What its id is in the sandbox. */
  readonly idKind?: string;
}

const PAYMENT = { what: "a payment", ids: ["reference", "payment_reference", "uuid"] } as const;

const RESOURCES = {
  invoice: {
    what: "an invoice",
    ids: ["id", "invoice_id", "uuid", "invoice"],
    endpoints: ["invoices.create", "invoices.get", "invoices.update", "invoices.list"],
  },
  webhook: {
    what: "a webhook",
    ids: ["id", "webhook_id", "uuid", "webhook"],
    endpoints: ["webhooks.register", "webhooks.update", "webhooks.list"],
  },
  account: {
    what: "a payment account",
    ids: ["payment_account_id", "id", "account_id", "uuid"],
    endpoints: ["merchant.paymentAccounts"],
    idKind: "a whole number",
  },
  payment: { ...PAYMENT, endpoints: ["payments.get", "payments.list", "mobileMoney.status"] },
  /** What starts a payment returns a part of it. */
  initiation: { ...PAYMENT, endpoints: ["mobileMoney.initiate", "payments.initiate"] },
} as const satisfies Readonly<Record<string, ResourceRow>>;

/** A resource as an endpoint returns it, or an item of a list. */
interface SeenResource {
  /** How often it was seen. */
  readonly seen: number;
  readonly names: readonly string[];
  readonly field: (name: string) => Place | undefined;
}

/** The resource that a shape is; none if it was never an object. */
function resourcesIn(shape: Shape): SeenResource[] {
  const { types = [], fields = [] } = toTree(shape) ?? {};
  const seen = total(shape.$?.types.object);
  const field = (name: string) => fields.find(({ key }) => key === name);
  return types.includes("object") ? [{ seen, names: fields.map(({ key }) => key), field }] : [];
}

/** The resources in the usual success of some endpoints; of a list its items. */
const resourcesOf = (profile: ServiceProfile, endpoints: readonly EndpointName[]): SeenResource[] =>
  endpoints.flatMap((name) => resourcesIn(resourceShape(profile, name)));

const namesOf = (resources: readonly SeenResource[]): string[] => [
  ...new Set(resources.flatMap(({ names }) => names)),
];

/** The fields that the merchant may have sent itself: they tell nothing about the service. */
const SENT = ["amount", "description", "customer", "reference", "phone", "name", "url", "events"];

/** Decides the fields of a resource. */
export const fieldsRule =
  (resource: keyof typeof RESOURCES, required: readonly string[]): Rule =>
  (profile) => {
    const { what, endpoints } = RESOURCES[resource];
    const resources = resourcesOf(profile, endpoints);
    const names = namesOf(resources);
    const contradictions = fieldDifferences(what, names, required, [...required, ...SENT]);
    return resources.map(({ seen }) => ({ seen, contradictions }));
  };

/** Decides fields and statuses of invoices. */
export const invoicesRule =
  (fields: readonly string[], statuses: readonly string[]): Rule =>
  (profile) => {
    const resources = resourcesOf(profile, RESOURCES.invoice.endpoints);
    const values = new Set(resources.flatMap(({ field }) => field("status")?.values ?? []));
    const others = [...values].filter((status) => !statuses.includes(status));
    const contradictions = textsOf([[others.length > 0, `invoices may be ${enumerate(others)}`]]);
    return [...fieldsRule("invoice", fields)(profile), { seen: 0, contradictions }];
  };

/** Decides whether a registration returns a signing secret. Without one, nothing is known. */
export const signingSecretRule: Rule = (profile) => {
  const resources = resourcesOf(profile, RESOURCES.webhook.endpoints);
  const secrets = namesOf(resources).filter((name) => /secret|signing_key/i.test(name));
  const contradictions = [`each registration returns ${enumerate(secrets)}`];
  return secrets.length === 0 ? [] : resources.map(({ seen }) => ({ seen, contradictions }));
};

/** Decides the fields of a payment that the merchant did not set. */
export const fillersRule =
  (currency: string): Rule =>
  (profile) =>
    resourcesOf(profile, RESOURCES.payment.endpoints).flatMap(({ seen, field }): Finding[] => {
      const [paidIn, account] = [field("currency"), field("account_reference")];
      if (paidIn === undefined && account === undefined) return [];
      const others = (paidIn?.values ?? []).filter((one) => one !== currency);
      const nulls = ["account_reference", "payer_name"].filter((name) =>
        field(name)?.types.includes("null"),
      );
      const contradictions = [
        ...others.map((one) => `the currency is ${one}`),
        ...nulls.map((name) => `${name} is null if it was not set`),
        ...textsOf([
          [(account?.seen ?? 0) < seen, "account_reference is left out if it was not set"],
        ]),
      ];
      return [{ seen, contradictions }];
    });

/** What an id is: `a whole number`, `a word`, `a uuid`, `a text of digits`. */
function kindOf({ types, formats }: Place): string {
  const kinds = formats.map((format) => {
    if (types.includes("number") && !types.includes("string")) return "a whole number";
    if (format === "uuid") return "a uuid";
    return format.startsWith("digits") ? "a text of digits" : "a word";
  });
  return [...new Set(kinds)].join(" or ");
}

/** Decides the names and the kinds of ids. */
export const idsRule: Rule = (profile) =>
  Object.values<ResourceRow>(RESOURCES).flatMap(({ what, endpoints, ids, idKind = "a word" }) =>
    resourcesOf(profile, endpoints).flatMap(({ field }): Finding[] => {
      const place = ids.map(field).find((one) => one !== undefined);
      if (place === undefined) return [];
      const found = kindOf(place);
      const isAssumed = place.key === ids[0] && found === idKind;
      const text = `the id of ${what} is ${place.key}, ${found}`;
      return [{ seen: place.seen, contradictions: isAssumed ? [] : [text] }];
    }),
  );

/** The kinds of events whose data is a resource that the interface does not show. */
const EVENT_RESOURCES = [
  ["payment.initiated", "payment"],
  ["invoice.created", "invoice"],
  ["invoice.paid", "invoice"],
  ["invoice.overdue", "invoice"],
] as const;

/** Decides whether the data of an event is the resource, as a read returns it. */
export const otherPayloadsRule: Rule = (profile) =>
  EVENT_RESOURCES.flatMap(([kind, resource]): Finding[] => {
    const event = profile.events[kind];
    const allowed = namesOf(resourcesOf(profile, RESOURCES[resource].endpoints));
    if (event === undefined || allowed.length === 0) return [];
    const path = findResourcePath(event.body);
    const names = namesOf(resourcesIn(shapeAt(event.body, path)));
    const required = allowed.filter((name) => name === "status");
    const contradictions = [
      ...textsOf([[path !== "data", `${kind} has it in ${path}`]]),
      ...fieldDifferences(kind, names, required, allowed),
    ];
    return [{ seen: total(event.seen), contradictions }];
  });

/** Decides whether two endpoints return the same: `name` is assumed to return what `other` does. */
export const sameResponseRule =
  (name: EndpointName, other: EndpointName): Rule =>
  (profile) => {
    const endpoint = endpointKey(name);
    const allowed = namesOf(resourcesOf(profile, [other]));
    return resourcesOf(profile, allowed.length === 0 ? [] : [name]).map(({ seen, names }) => {
      const isOther = !names.some((one) => allowed.includes(one));
      const none = `${endpoint} returns none of the fields of ${endpointKey(other)}`;
      const contradictions = fieldDifferences(endpoint, names, [], allowed);
      return { seen, contradictions: [...contradictions, ...textsOf([[isOther, none]])] };
    });
  };

/** Decides the response of deletions. */
export const deletionsRule: Rule = (profile) =>
  (["invoices.delete", "webhooks.delete"] as const).flatMap((name): Finding[] => {
    const endpoint = endpointKey(name);
    const found = findSuccess(profile, endpoint);
    if (found === undefined) return [];
    const resources = resourcesOf(profile, [name]);
    const contradictions =
      resources.length === 0
        ? [`${endpoint} returns ${found.status} without an object`]
        : fieldDifferences(endpoint, namesOf(resources), ["id", "deleted"]);
    return [{ seen: total(found.response.seen), contradictions }];
  });

/** Decides the response to a phone that is validated. */
export const validatePhoneRule: Rule = (profile) => {
  const resources = resourcesOf(profile, ["mobileMoney.validatePhone"]);
  const required = ["valid", "phone"];
  // What is not a number at all, such as `12`, is rejected by the sandbox, too.
  const unusable = Object.entries(profile.rejections.unusable_phone ?? {});
  return [
    ...resources.map(({ seen, names }) => ({
      seen,
      contradictions: fieldDifferences("the response", names, required, [...required, "network"]),
    })),
    ...unusable.map(([status, { seen, accepted }]) => ({
      seen: total(seen),
      contradictions:
        total(accepted) < total(seen) ? [`${status} for a number that cannot be charged`] : [],
    })),
  ];
};
