import type { EndpointName } from "../../../contract/endpoints.ts";
import { nextName } from "../../state/random.ts";
import { ASSUMED_SERIALIZER } from "../assumed.ts";
import type { IdKind, IdState, Serializer } from "../serializer.ts";
import { formatOf, placeholderText } from "./placeholder.ts";
import { findPlace, type Place } from "./shape-tree.ts";
import type { Templates } from "./templates.ts";

/** What an id repeats, the usual names of its field, and the endpoints that return it. */
interface IdField {
  readonly same?: string;
  readonly names: readonly string[];
  readonly endpoints: readonly EndpointName[];
}

const PAYMENTS: readonly EndpointName[] = [
  ...(["mobileMoney.initiate", "payments.initiate", "payments.get", "payments.list"] as const),
];
const WEBHOOKS: readonly EndpointName[] = ["webhooks.update", "webhooks.register", "webhooks.list"];

const ID_FIELDS: Readonly<Record<IdKind | "account", IdField>> = {
  reference: { names: ["reference"], endpoints: PAYMENTS },
  checkout: { names: ["checkout_request_id"], endpoints: PAYMENTS },
  invoice: {
    same: "id",
    names: ["id", "invoice_id", "uuid"],
    endpoints: ["invoices.get", "invoices.update", "invoices.create", "invoices.list"],
  },
  secret: {
    names: ["secret", "signing_secret", "webhook_secret", "signing_key"],
    endpoints: WEBHOOKS,
  },
  webhook: { same: "id", names: ["id", "webhook_id", "uuid"], endpoints: WEBHOOKS },
  account: {
    names: ["payment_account_id", "account_id", "id", "uuid"],
    endpoints: ["merchant.paymentAccounts"],
  },
};

function findIdPlace(templates: Templates, kind: IdKind | "account"): Place | undefined {
  const { same = "", names, endpoints } = ID_FIELDS[kind];
  const roots = endpoints.flatMap((endpoint) => templates.resourceOf([endpoint]) ?? []);
  const conditions = [
    (place: Place) => place.same.includes(same),
    ...names.map((name) => (place: Place) => place.name === name),
  ];
  for (const matches of conditions) {
    for (const root of roots) {
      const found = findPlace(root, matches);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Makes ids of the kinds that the service has. */
export function learnedIds(
  templates: Templates,
  seed: string,
): Pick<Serializer, "newId" | "accountIds"> {
  const places = new Map<IdKind, Place | undefined>();
  const account = findIdPlace(templates, "account");
  return {
    // A profile holds shapes, and tells nothing of a second account.
    accountIds: [
      account === undefined || account.types[0] === "number"
        ? ASSUMED_SERIALIZER.accountIds[0]
        : placeholderText(formatOf(account), "account", seed),
    ],
    newId: (kind, state) => {
      if (!places.has(kind)) places.set(kind, findIdPlace(templates, kind));
      const place = places.get(kind);
      return (place && idLike(place, state)) ?? ASSUMED_SERIALIZER.newId(kind, state);
    },
  };
}

/** Random ids of fewer digits would soon be made twice: those count up. */
const MIN_RANDOM_DIGITS = 9;

function digitsLike(length: number, state: IdState): string {
  if (length < MIN_RANDOM_DIGITS) return String(10 ** (length - 1) + state.nextId++);
  return `1${nextName(state.random, "digits", length - 1)}`;
}

/** `undefined`: any text will do. */
function idLike(place: Place, state: IdState): string | undefined {
  if (place.types[0] === "number") return digitsLike(MIN_RANDOM_DIGITS, state);
  const format = formatOf(place);
  const [, kind, length] = /^(digits|hex)(\d*)$/.exec(format) ?? [];
  if (kind === "digits") return digitsLike(Number(length || 12), state);
  if (kind === undefined && format !== "uuid") return undefined;
  return placeholderText(format, "id", nextName(state.random, "token", 12));
}
