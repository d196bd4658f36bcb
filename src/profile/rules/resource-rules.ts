import { total } from "../counts.ts";
import { findResourcePath } from "../paths.ts";
import type { FieldShape, ServiceProfile } from "../types.ts";
import { enumerate, type Finding, joinFindings, NOTHING_SEEN, type Rule } from "./finding.ts";
import {
  INVOICE_ENDPOINTS,
  namesOf,
  PAYMENT_ENDPOINTS,
  type ResourceSeen,
  resourceAt,
  resourcesOf,
  timesOf,
  WEBHOOK_ENDPOINTS,
} from "./resources.ts";

const seenOf = (resources: readonly ResourceSeen[]): number =>
  resources.reduce((sum, { seen }) => sum + seen, 0);

/** The fields that the merchant may have sent itself: they tell nothing about the service. */
const SENT = ["amount", "description", "customer", "reference", "phone", "name", "url", "events"];

/** The fields that are missing, and those that are new. */
function fieldDifferences(
  what: string,
  resources: readonly ResourceSeen[],
  assumed: readonly string[],
) {
  const names = namesOf(resources);
  const missing = assumed.filter((name) => !names.has(name));
  const further = [...names].filter((name) => !assumed.includes(name) && !SENT.includes(name));
  return [
    ...(missing.length > 0 ? [`${what} has no ${enumerate(missing)}`] : []),
    ...(further.length > 0 ? [`${what} has ${enumerate(further.sort())}, too`] : []),
  ];
}

/** Decides fields and statuses of invoices. */
export const invoicesRule =
  (fields: readonly string[], statuses: readonly string[]): Rule =>
  (profile) => {
    const resources = resourcesOf(profile, INVOICE_ENDPOINTS);
    if (resources.length === 0) return NOTHING_SEEN;
    const values = new Set(resources.flatMap((one) => one.fields.status?.values ?? []));
    const others = [...values].filter((status) => !statuses.includes(status));
    return {
      seen: seenOf(resources),
      contradictions: [
        ...fieldDifferences("an invoice", resources, fields),
        ...(others.length > 0 ? [`invoices may be ${enumerate(others)}`] : []),
      ],
    };
  };

/** Decides the response of a webhook registration. */
export const webhooksRule =
  (fields: readonly string[]): Rule =>
  (profile) => {
    const resources = resourcesOf(profile, WEBHOOK_ENDPOINTS);
    if (resources.length === 0) return NOTHING_SEEN;
    const contradictions = fieldDifferences("a webhook", resources, fields);
    return { seen: seenOf(resources), contradictions };
  };

/** Decides whether a registration returns a signing secret. Without one, nothing is known. */
export const signingSecretRule: Rule = (profile) => {
  const resources = resourcesOf(profile, WEBHOOK_ENDPOINTS);
  const secrets = [...namesOf(resources)].filter((name) => /secret|signing_key/i.test(name));
  if (secrets.length === 0) return NOTHING_SEEN;
  return {
    seen: seenOf(resources),
    contradictions: [`each registration returns ${enumerate(secrets)}`],
  };
};

/** Decides the fields of a payment that the merchant did not set. */
export const fillersRule =
  (currency: string): Rule =>
  (profile) => {
    const payments = resourcesOf(profile, PAYMENT_ENDPOINTS);
    const withFields = payments.filter(({ fields }) => fields.currency ?? fields.account_reference);
    if (withFields.length === 0) return NOTHING_SEEN;
    return joinFindings(
      withFields.map(({ seen, fields }): Finding => {
        const others = (fields.currency?.values ?? []).filter((one) => one !== currency);
        const found = others.map((one) => `the currency is ${one}`);
        for (const name of ["account_reference", "payer_name"]) {
          if (timesOf(fields[name], "null") > 0) found.push(`${name} is null if it was not set`);
        }
        const isLeftOut = timesOf(fields.account_reference) < seen;
        if (isLeftOut) found.push("account_reference is left out if it was not set");
        return { seen, contradictions: found };
      }),
    );
  };

interface IdFields {
  readonly what: string;
  readonly endpoints: readonly string[];
  /** The name of the field in the sandbox, and its kind. */
  readonly assumed: readonly [name: string, kind: string];
  /** Other names under which services have it. */
  readonly names: readonly string[];
}

const IDS: readonly IdFields[] = [
  {
    what: "an invoice",
    endpoints: INVOICE_ENDPOINTS,
    assumed: ["id", "a word"],
    names: ["invoice_id", "uuid", "invoice"],
  },
  {
    what: "a webhook",
    endpoints: WEBHOOK_ENDPOINTS,
    assumed: ["id", "a word"],
    names: ["webhook_id", "uuid", "webhook"],
  },
  {
    what: "a payment account",
    endpoints: ["GET /merchant/payment-accounts"],
    assumed: ["payment_account_id", "a whole number"],
    names: ["id", "account_id", "uuid"],
  },
  {
    what: "a payment",
    endpoints: [
      ...PAYMENT_ENDPOINTS,
      "POST /mobile-money/payment/initiate",
      "POST /payments/initiate",
    ],
    assumed: ["reference", "a word"],
    names: ["payment_reference", "uuid"],
  },
];

/** What an id is: `a whole number`, `a word`, `a uuid`, `12 digits`. */
function idKind({ types, formats = [] }: FieldShape): string {
  const kinds = formats.map((format) => {
    if (types.number !== undefined && types.string === undefined) return "a whole number";
    if (format === "uuid") return "a uuid";
    const [, digits] = /^digits(\d+)$/.exec(format) ?? [];
    return digits === undefined ? "a word" : "a text of digits";
  });
  return [...new Set(kinds)].join(" or ");
}

/** Decides the names and the kinds of ids. */
export const idsRule: Rule = (profile) =>
  joinFindings(
    IDS.flatMap((ids) => resourcesOf(profile, ids.endpoints).map((one) => idFinding(ids, one))),
  );

function idFinding(
  { what, assumed: [assumedName, kind], names }: IdFields,
  { fields }: ResourceSeen,
): Finding {
  const name = [assumedName, ...names].find((one) => fields[one] !== undefined);
  const field = name === undefined ? undefined : fields[name];
  if (name === undefined || field === undefined) return NOTHING_SEEN;
  const found = idKind(field);
  const contradictions =
    name === assumedName && found === kind ? [] : [`the id of ${what} is ${name}, ${found}`];
  return { seen: timesOf(field), contradictions };
}

/** The kinds of events whose data is a resource, and where that resource is read. */
const EVENT_RESOURCES: readonly (readonly [kind: string, endpoints: readonly string[]])[] = [
  ["payment.initiated", PAYMENT_ENDPOINTS],
  ["invoice.created", INVOICE_ENDPOINTS],
  ["invoice.paid", INVOICE_ENDPOINTS],
  ["invoice.overdue", INVOICE_ENDPOINTS],
];

/** Decides whether the data of an event is the resource, as a read returns it. */
export const otherPayloadsRule: Rule = (profile: ServiceProfile) =>
  joinFindings(
    EVENT_RESOURCES.map(([kind, endpoints]): Finding => {
      const event = profile.events[kind];
      const resources = resourcesOf(profile, endpoints);
      if (event === undefined || resources.length === 0) return NOTHING_SEEN;
      const path = findResourcePath(event.body);
      const data = resourceAt(event.body, path);
      const names = namesOf(resources);
      const further = Object.keys(data?.fields ?? {}).filter((name) => !names.has(name));
      const missing = ["status"].filter((name) => names.has(name) && !data?.fields[name]);
      return {
        seen: total(event.seen),
        contradictions: [
          ...(path === "data" ? [] : [`${kind} has it in ${path}`]),
          ...(further.length > 0 ? [`${kind} has ${enumerate(further)}, too`] : []),
          ...(missing.length > 0 ? [`${kind} has no ${enumerate(missing)}`] : []),
        ],
      };
    }),
  );
