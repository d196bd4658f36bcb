import type { EndpointName } from "../../../contract/endpoints.ts";
import { nextName } from "../../state/random.ts";
import { ASSUMED_SPEECH } from "../assumed.ts";
import type { IdKind, IdState, Speech } from "../serializer.ts";
import { formatOf, madeUpText, madeUpUuid } from "./placeholder.ts";
import type { Place } from "./shape-tree.ts";
import type { Templates } from "./templates.ts";

/** Where an id stands: the names of its field, the likeliest first, and the endpoints that return it. */
interface IdField {
  readonly names: readonly string[];
  readonly endpoints: readonly EndpointName[];
}

const INITIATIONS: readonly EndpointName[] = ["mobileMoney.initiate", "payments.initiate"];
const PAYMENTS: readonly EndpointName[] = [...INITIATIONS, "payments.get", "payments.list"];

const ID_FIELDS: Readonly<Record<IdKind, IdField>> = {
  reference: { names: ["reference"], endpoints: PAYMENTS },
  checkout: { names: ["checkout_request_id"], endpoints: PAYMENTS },
  invoice: {
    names: ["id", "invoice_id", "uuid"],
    endpoints: ["invoices.create", "invoices.get", "invoices.list"],
  },
  secret: {
    names: ["secret", "signing_secret", "webhook_secret", "signing_key"],
    endpoints: ["webhooks.register", "webhooks.list", "webhooks.update"],
  },
  webhook: {
    names: ["id", "webhook_id", "uuid"],
    endpoints: ["webhooks.register", "webhooks.list", "webhooks.update"],
  },
};

const ACCOUNT: IdField = {
  names: ["payment_account_id", "account_id", "id", "uuid"],
  endpoints: ["merchant.paymentAccounts"],
};

function findPlace(templates: Templates, { names, endpoints }: IdField): Place | undefined {
  for (const endpoint of endpoints) {
    const resource = templates.resourceOf([endpoint]);
    const fields = [resource, ...(resource?.fields ?? [])].flatMap((one) => one?.fields ?? []);
    for (const name of names) {
      const found = fields.find((field) => field.name === name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Makes ids of the kinds that the service has. */
export function learnedIds(
  templates: Templates,
  seed: string,
): Pick<Speech, "newId" | "accountIds"> {
  const places = new Map<IdKind, Place | undefined>();
  const account = findPlace(templates, ACCOUNT);
  return {
    // A profile holds shapes, and says nothing of a second account.
    accountIds: [
      account === undefined || account.types[0] === "number"
        ? ASSUMED_SPEECH.accountIds[0]
        : madeUpText(formatOf(account), "account", seed),
    ],
    newId: (kind, state) => {
      if (!places.has(kind)) places.set(kind, findPlace(templates, ID_FIELDS[kind]));
      const place = places.get(kind);
      return (place && idLike(place, state)) ?? ASSUMED_SPEECH.newId(kind, state);
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
  const own = nextName(state.random, "token", 12);
  return format === "uuid" ? madeUpUuid(own, "id") : madeUpText(format, "id", own);
}
