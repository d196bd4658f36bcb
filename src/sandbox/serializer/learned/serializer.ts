import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import type { KeyKind } from "../../../contract/keys.ts";
import { total } from "../../../profile/counts.ts";
import { endpointKey, findRejection, isAccepted, usual } from "../../../profile/read.ts";
import type { Counts, ServiceProfile } from "../../../profile/types.ts";
import { formatTimestamp } from "../../clock/time.ts";
import type { Serializer } from "../serializer.ts";
import { learnedDeliveries } from "./deliveries.ts";
import { writeError } from "./errors.ts";
import { learnedIds } from "./ids.ts";
import { learnedPaging } from "./paging.ts";
import { type Learned, writeSuccess } from "./responses.ts";
import { Templates } from "./templates.ts";
import { timestampIn } from "./values.ts";

/**
 * The serializer of the service that a profile was learned from. If the profile is silent, the
 * assumptions decide.
 *
 * @param seed - The same seed makes the same placeholders.
 */
export function learnedSerializer(profile: ServiceProfile, seed: string): Serializer {
  const templates = new Templates(profile);
  const learned: Learned = {
    profile,
    templates,
    format: {
      seed,
      timestamp: timestampsOf(profile, (form) => !form.includes(" ")),
      datetime: timestampsOf(profile, (form) => form.includes(" ")),
    },
  };
  const scopes = findRejection(profile, "missing_scope");
  const phones = findRejection(profile, "invalid_phone");
  const unusable = findRejection(profile, "unusable_phone");
  return {
    success: (request, result) => writeSuccess(learned, request, result),
    error: (request, error) => writeError(learned, request, error),
    readPage: learnedPaging(profile),
    ...learnedIds(templates, seed),
    mayCall: permissionsOf(profile),
    hasScopes: scopes === undefined || !isAccepted(scopes),
    acceptsInvalidPhones: phones !== undefined && isAccepted(phones),
    acceptsUnusablePhones: unusable === undefined || isAccepted(unusable),
    ...learnedDeliveries(learned),
  };
}

/** The usual form of timestamps. */
function timestampsOf(
  { timestamps }: ServiceProfile,
  isWanted: (form: string) => boolean,
): (ms: number) => string {
  const forms = Object.entries(timestamps).filter(([form]) => isWanted(form));
  const form = usual(Object.fromEntries(forms));
  return form === undefined ? formatTimestamp : timestampIn(form);
}

const isOnlyRejected = ({ allowed, rejected }: { allowed?: Counts; rejected?: Counts }): boolean =>
  total(rejected) > 0 && total(allowed) === 0;

function permissionsOf(profile: ServiceProfile): (kind: KeyKind, name: EndpointName) => boolean {
  const wrongKind = findRejection(profile, "wrong_kind");
  const takesAnyKind = wrongKind !== undefined && isAccepted(wrongKind);
  return (kind, name) => {
    const seen = profile.keys[kind]?.[endpointKey(name)] ?? {};
    if (total(seen.allowed) > 0) return true;
    // A secret key that is rejected lacks a scope.
    if (kind !== "secret" && isOnlyRejected(seen)) return false;
    return takesAnyKind || (ENDPOINTS[name] as Endpoint).keys.includes(kind);
  };
}
