import { findPlace, type Place } from "../../../profile/place.ts";
import type { Resource } from "../../exchange/result.ts";
import { nextName } from "../../state/random.ts";
import { ASSUMED_SERIALIZER } from "../assumed.ts";
import type { IdKind, IdState, Serializer } from "../serializer.ts";
import { findKnown } from "./known-values.ts";
import { formatOf, placeholderText } from "./placeholder.ts";
import { findOnce, type Templates } from "./templates.ts";

/** The field that holds an id. */
const ID_FIELDS: Readonly<Record<IdKind | "account", readonly [Resource, field: string]>> = {
  reference: ["payment", "reference"],
  checkout: ["payment", "checkout_request_id"],
  invoice: ["invoice", "id"],
  webhook: ["webhook", "id"],
  secret: ["webhook", "secret"],
  account: ["account", "payment_account_id"],
};

/** Makes ids of the kinds that the service has. */
export function learnedIds(
  templates: Templates,
  seed: string,
): Pick<Serializer, "newId" | "accountIds"> {
  /** The place in which responses have an id: the one that a record with this id is written to. */
  const placeOf = findOnce((kind: IdKind | "account"): Place | undefined => {
    const [resource, field] = ID_FIELDS[kind];
    const id = { sent: kind };
    const isId = (place: Place) =>
      findKnown({ [field]: id }, { ...place, parent: undefined }, resource) === id;
    const isRepeated = (place: Place) => place.same.length > 0 && isId(place);
    const roots = templates.shapesOf(resource);
    const found = [isRepeated, isId].flatMap((test) => roots.map((root) => findPlace(root, test)));
    return found.find((place) => place !== undefined);
  });
  const account = placeOf("account");
  return {
    // A profile holds shapes, and tells nothing of a second account.
    accountIds: [
      account === undefined || account.types[0] === "number"
        ? ASSUMED_SERIALIZER.accountIds[0]
        : placeholderText(formatOf(account), "account", seed),
    ],
    newId: (kind, state) => {
      const place = placeOf(kind);
      return (place && idLike(place, state)) ?? ASSUMED_SERIALIZER.newId(kind, state);
    },
  };
}

/** Random ids of fewer digits would soon be made twice: those count up. */
const MIN_RANDOM_DIGITS = 9;

/** `undefined`: any text will do. */
function idLike(place: Place, state: IdState): string | undefined {
  const format = place.types[0] === "number" ? `digits${MIN_RANDOM_DIGITS}` : formatOf(place);
  const [, kind, digits] = /^(digits|hex)(\d*)$/.exec(format) ?? [];
  if (kind === "digits") {
    const length = Number(digits || 12);
    if (length < MIN_RANDOM_DIGITS) return String(10 ** (length - 1) + state.nextId++);
    return `1${nextName(state.random, "digits", length - 1)}`;
  }
  if (kind === undefined && format !== "uuid") return undefined;
  return placeholderText(format, "id", nextName(state.random, "token", 12));
}
