import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import type { KeyKind } from "../../../contract/keys.ts";
import { total } from "../../../profile/counts.ts";
import { endpointKey, findRefusal, isAccepted } from "../../../profile/read.ts";
import type { Counts, ServiceProfile } from "../../../profile/types.ts";
import { formatTimestamp } from "../../clock/time.ts";
import type { Speech } from "../serializer.ts";
import { learnedDeliveries } from "./deliveries.ts";
import { sayError } from "./errors.ts";
import { learnedIds } from "./ids.ts";
import { learnedPaging } from "./paging.ts";
import { type Learned, saySuccess } from "./responses.ts";
import { Templates } from "./templates.ts";
import { timestampIn } from "./values.ts";

/**
 * The speech of the service that a profile was learned from. What the profile does not say is said
 * as the assumptions have it.
 *
 * @param seed - The same seed makes up the same values.
 */
export function learnedSpeech(profile: ServiceProfile, seed: string): Speech {
  const templates = new Templates(profile);
  const learned: Learned = {
    profile,
    templates,
    manner: { seed, timestamp: timestampsOf(profile) },
  };
  const scopes = findRefusal(profile, "missing_scope");
  const phones = findRefusal(profile, "invalid_phone");
  const unusable = findRefusal(profile, "unusable_phone");
  return {
    success: (asked, result) => saySuccess(learned, asked, result),
    error: (asked, error) => sayError(learned, asked, error),
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
function timestampsOf({ timestamps }: ServiceProfile): (ms: number) => string {
  const [usual] = Object.entries(timestamps).sort(([, a], [, b]) => total(b) - total(a));
  return usual === undefined ? formatTimestamp : timestampIn(usual[0]);
}

const isOnlyRefused = ({ allowed, refused }: { allowed?: Counts; refused?: Counts }): boolean =>
  total(refused) > 0 && total(allowed) === 0;

function permissionsOf(profile: ServiceProfile): (kind: KeyKind, name: EndpointName) => boolean {
  const wrongKind = findRefusal(profile, "wrong_kind");
  const takesAnyKind = wrongKind !== undefined && isAccepted(wrongKind);
  return (kind, name) => {
    const seen = profile.keys[kind]?.[endpointKey(name)] ?? {};
    if (total(seen.allowed) > 0) return true;
    // A secret key that is refused lacks a scope.
    if (kind !== "secret" && isOnlyRefused(seen)) return false;
    return takesAnyKind || (ENDPOINTS[name] as Endpoint).keys.includes(kind);
  };
}
