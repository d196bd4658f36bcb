import { ENDPOINTS, type Endpoint, type EndpointName } from "../../../contract/endpoints.ts";
import type { RejectionCause } from "../../../profile/causes.ts";
import { total } from "../../../profile/counts.ts";
import { findPaging, parameterRole } from "../../../profile/paging.ts";
import { endpointKey, findRejection, isAccepted, usual } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { formatTimestamp } from "../../clock/time.ts";
import { ASSUMED_SERIALIZER } from "../assumed.ts";
import { ASSUMED_PAGING, readPage } from "../page-request.ts";
import type { Serializer } from "../serializer.ts";
import { learnedDeliveries } from "./deliveries.ts";
import { writeError } from "./errors.ts";
import { learnedIds } from "./ids.ts";
import { type Learned, writeSuccess } from "./responses.ts";
import { findOnce, Templates } from "./templates.ts";
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
  const pagingOf = findOnce((endpoint: EndpointName) => learnedPaging(profile, endpoint));
  return {
    success: (request, result) => writeSuccess(learned, request, result),
    error: (request, error) => writeError(learned, request, error),
    readPage: (endpoint, query) => readPage(query, pagingOf(endpoint)),
    ...learnedIds(templates, seed),
    mayCall: permissionsOf(profile),
    accepts: (cause) => accepts(profile, cause) ?? ASSUMED_SERIALIZER.accepts(cause),
    ...learnedDeliveries(learned),
  };
}

/** How a list is paged: as it was learned, or else as it is assumed, unless that has no effect. */
function learnedPaging(profile: ServiceProfile, endpoint: EndpointName) {
  const paging = findPaging(profile, endpointKey(endpoint));
  const { parameters, ignored, defaultSize } = paging;
  const assumed = Object.entries(ASSUMED_PAGING.parameters).filter(
    ([, name]) => !ignored.includes(name),
  );
  // A list cannot be paged if no parameter works, and one that asks for another page does not.
  const isUnpaged =
    Object.keys(parameters).length === 0 &&
    ignored.some((name) => (parameterRole(name) ?? "size") !== "size");
  const isWhole = isUnpaged && defaultSize === undefined;
  const { size, ...others } = { ...Object.fromEntries(assumed), ...parameters };
  return { ...paging, parameters: { ...others, ...(size && !isWhole && { size }) }, isWhole };
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

/** Whether the service does what is asked although there is a cause to reject it. `undefined`: not seen. */
function accepts(profile: ServiceProfile, cause: RejectionCause): boolean | undefined {
  const found = findRejection(profile, cause);
  return found && isAccepted(found);
}

const permissionsOf =
  (profile: ServiceProfile): Serializer["mayCall"] =>
  (kind, name) => {
    const { allowed, rejected } = profile.keys[kind]?.[endpointKey(name)] ?? {};
    if (total(allowed) > 0) return true;
    // A secret key that is rejected lacks a scope.
    if (kind !== "secret" && total(rejected) > 0) return false;
    const { keys }: Endpoint = ENDPOINTS[name];
    return keys.includes(kind) || accepts(profile, "wrong_kind") === true;
  };
