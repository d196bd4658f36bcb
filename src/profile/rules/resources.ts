import { total } from "../counts.ts";
import { findResourcePath } from "../paths.ts";
import { findSuccess } from "../read.ts";
import type { FieldShape } from "../types.ts";
import {
  enumerate,
  type Finding,
  fieldDifferences,
  joinFindings,
  NOTHING_SEEN,
  type Rule,
} from "./finding.ts";
import {
  namesOf,
  RESOURCES,
  resourceAt,
  resourcesOf,
  type SeenResource,
  timesOf,
} from "./seen-resources.ts";

const seenOf = (resources: readonly SeenResource[]): number =>
  resources.reduce((sum, { seen }) => sum + seen, 0);

/** The fields that the merchant may have sent itself: they tell nothing about the service. */
const SENT = ["amount", "description", "customer", "reference", "phone", "name", "url", "events"];

const fieldsRule =
  (resource: keyof typeof RESOURCES, required: readonly string[]): Rule =>
  (profile) => {
    const { what, endpoints } = RESOURCES[resource];
    const resources = resourcesOf(profile, endpoints);
    const allowed = [...required, ...SENT];
    const contradictions = fieldDifferences(what, namesOf(resources), { required, allowed });
    return resources.length === 0 ? NOTHING_SEEN : { seen: seenOf(resources), contradictions };
  };

/** Decides fields and statuses of invoices. */
export const invoicesRule =
  (fields: readonly string[], statuses: readonly string[]): Rule =>
  (profile) => {
    const resources = resourcesOf(profile, RESOURCES.invoice.endpoints);
    const values = resources.flatMap((one) => one.fields.status?.values ?? []);
    const others = [...new Set(values)].filter((status) => !statuses.includes(status));
    const contradictions = others.length > 0 ? [`invoices may be ${enumerate(others)}`] : [];
    return joinFindings([fieldsRule("invoice", fields)(profile), { seen: 0, contradictions }]);
  };

/** Decides the response of a webhook registration. */
export const webhooksRule = (fields: readonly string[]): Rule => fieldsRule("webhook", fields);

/** Decides whether a registration returns a signing secret. Without one, nothing is known. */
export const signingSecretRule: Rule = (profile) => {
  const resources = resourcesOf(profile, RESOURCES.webhook.endpoints);
  const secrets = namesOf(resources).filter((name) => /secret|signing_key/i.test(name));
  const contradictions = [`each registration returns ${enumerate(secrets)}`];
  return secrets.length === 0 ? NOTHING_SEEN : { seen: seenOf(resources), contradictions };
};

/** Decides the fields of a payment that the merchant did not set. */
export const fillersRule =
  (currency: string): Rule =>
  (profile) =>
    joinFindings(
      resourcesOf(profile, RESOURCES.payment.endpoints).flatMap(({ seen, fields }): Finding[] => {
        if ((fields.currency ?? fields.account_reference) === undefined) return [];
        const others = (fields.currency?.values ?? []).filter((one) => one !== currency);
        const isLeftOut = timesOf(fields.account_reference) < seen;
        const nulls = ["account_reference", "payer_name"].filter(
          (name) => timesOf(fields[name], "null") > 0,
        );
        const contradictions = [
          ...others.map((one) => `the currency is ${one}`),
          ...nulls.map((name) => `${name} is null if it was not set`),
          ...(isLeftOut ? ["account_reference is left out if it was not set"] : []),
        ];
        return [{ seen, contradictions }];
      }),
    );

/** What an id is: `a whole number`, `a word`, `a uuid`, `a text of digits`. */
function kindOf({ types, formats = [] }: FieldShape): string {
  const kinds = formats.map((format) => {
    if (types.number !== undefined && types.string === undefined) return "a whole number";
    if (format === "uuid") return "a uuid";
    return format.startsWith("digits") ? "a text of digits" : "a word";
  });
  return [...new Set(kinds)].join(" or ");
}

/** Decides the names and the kinds of ids. */
export const idsRule: Rule = (profile) =>
  joinFindings(
    Object.values(RESOURCES).flatMap(({ what, endpoints, ids, idKind }) =>
      resourcesOf(profile, endpoints).flatMap(({ fields }): Finding[] => {
        const name = ids.find((one) => fields[one] !== undefined);
        if (name === undefined) return [];
        const found = kindOf(fields[name] as FieldShape);
        const isAssumed = name === ids[0] && found === idKind;
        const contradictions = isAssumed ? [] : [`the id of ${what} is ${name}, ${found}`];
        return [{ seen: timesOf(fields[name]), contradictions }];
      }),
    ),
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
  joinFindings(
    EVENT_RESOURCES.flatMap(([kind, resource]): Finding[] => {
      const event = profile.events[kind];
      const allowed = namesOf(resourcesOf(profile, RESOURCES[resource].endpoints));
      if (event === undefined || allowed.length === 0) return [];
      const path = findResourcePath(event.body);
      const names = Object.keys(resourceAt(event.body, path)?.fields ?? {});
      const required = allowed.filter((name) => name === "status");
      const contradictions = [
        ...(path === "data" ? [] : [`${kind} has it in ${path}`]),
        ...fieldDifferences(kind, names, { required, allowed }),
      ];
      return [{ seen: total(event.seen), contradictions }];
    }),
  );

/** Decides whether two endpoints return the same: `endpoint` is assumed to return what `other` does. */
export const sameResponseRule =
  (endpoint: string, other: string): Rule =>
  (profile) => {
    const [mine] = resourcesOf(profile, [endpoint]);
    const allowed = namesOf(resourcesOf(profile, [other]));
    if (mine === undefined || allowed.length === 0) return NOTHING_SEEN;
    const names = Object.keys(mine.fields);
    const isOther = !names.some((name) => allowed.includes(name));
    const contradictions = [
      ...fieldDifferences(endpoint, names, { required: [], allowed }),
      ...(isOther ? [`${endpoint} returns none of the fields of ${other}`] : []),
    ];
    return { seen: mine.seen, contradictions };
  };

/** Decides the response of deletions. */
export const deletionsRule: Rule = (profile) =>
  joinFindings(
    ["DELETE /invoices/{invoice}", "DELETE /webhooks/{id}"].map((endpoint): Finding => {
      const found = findSuccess(profile, endpoint);
      if (found === undefined) return NOTHING_SEEN;
      const resources = resourcesOf(profile, [endpoint]);
      const contradictions =
        resources.length === 0
          ? [`${endpoint} returns ${found.status} without an object`]
          : fieldDifferences(endpoint, namesOf(resources), { required: ["id", "deleted"] });
      return { seen: total(found.response.seen), contradictions };
    }),
  );

/** Decides the response to a phone that is validated. */
export const validatePhoneRule: Rule = (profile) => {
  const resources = resourcesOf(profile, ["POST /mobile-money/validate-phone"]);
  const required = ["valid", "phone"];
  const allowed = [...required, "network"];
  // What is not a number at all, such as `12`, is rejected by the sandbox, too.
  const unusable = Object.entries(profile.rejections.unusable_phone ?? {});
  return joinFindings([
    ...resources.map(({ seen, fields }) => ({
      seen,
      contradictions: fieldDifferences("the response", Object.keys(fields), { required, allowed }),
    })),
    ...unusable.map(([status, { seen, accepted }]) => ({
      seen: total(seen),
      contradictions:
        total(accepted) < total(seen) ? [`${status} for a number that cannot be charged`] : [],
    })),
  ]);
};
