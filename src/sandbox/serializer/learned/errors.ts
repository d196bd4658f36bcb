import { REJECTION_CAUSES, type RejectionCause } from "../../../profile/causes.ts";
import { toTree } from "../../../profile/place.ts";
import { endpointKey, type Found, findRejection, isAccepted } from "../../../profile/read.ts";
import type { RejectionShape } from "../../../profile/types.ts";
import type { ErrorCause, ErrorResponse } from "../../exchange/error-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import { ASSUMED_SERIALIZER, ASSUMED_STATUSES } from "../assumed.ts";
import type { RequestContext } from "../serializer.ts";
import { envelopeLookup } from "./envelope.ts";
import { type Learned, toResponse } from "./responses.ts";
import { write } from "./write.ts";

/** An invalid phone is an invalid field: these have the same status. */
const SAME_STATUS: readonly ErrorCause[] = ["invalid_field", "invalid_phone", "unusable_phone"];

/** Causes whose errors look alike: the body is borrowed, the status stays the assumption. */
const FAMILIES: readonly (readonly ErrorCause[])[] = [
  ["no_key", "unknown_key"],
  ["wrong_kind", "missing_scope", "unknown_key"],
  ["unknown_path", "unknown_id", "wrong_method", "invalid_path"],
  [...SAME_STATUS, "invalid_json"],
];

/** The status of every rejection that was seen, if they have one. */
function onlyStatus({ profile }: Learned): number | undefined {
  const causes: readonly RejectionCause[] = ["no_key", "unknown_key", "wrong_kind", "unknown_id"];
  const statuses = new Set(causes.map((cause) => findRejection(profile, cause)?.status));
  return statuses.size === 1 ? [...statuses][0] : undefined;
}

/** How the service rejects for a cause, or else for one that is like it. */
function findError(learned: Learned, cause: ErrorCause, endpoint?: string) {
  const { rejections } = learned.profile;
  const family = FAMILIES.find((causes) => causes.includes(cause)) ?? [];
  for (const other of [cause, ...family, ...REJECTION_CAUSES]) {
    if (other === "invalid_path") continue;
    const seen: (Found<RejectionShape> | undefined)[] = Object.entries(rejections[other] ?? {}).map(
      ([status, response]) => ({ status: Number(status), response }),
    );
    const usual = findRejection(learned.profile, other, endpoint);
    const found = [usual, ...seen].find((one) => one !== undefined && !isAccepted(one));
    if (found === undefined) continue;
    const isOwn = other === cause;
    const hasStatus = isOwn || (SAME_STATUS.includes(cause) && SAME_STATUS.includes(other));
    const assumed = onlyStatus(learned) ?? ASSUMED_STATUSES[cause];
    return { ...found, status: hasStatus ? found.status : assumed, isOwn };
  }
  return undefined;
}

export function writeError(
  learned: Learned,
  request: RequestContext,
  error: ErrorResponse,
): ApiResponse {
  const { cause, message, headers } = error;
  const found = findError(learned, cause, request.endpoint && endpointKey(request.endpoint));
  const root = found && toTree(found.response.body);
  if (found === undefined || root === undefined) return ASSUMED_SERIALIZER.error(request, error);
  const [field = ""] = error.field?.split(".") ?? [];
  const { status, isOwn } = found;
  const lookup = envelopeLookup({ status, now: request.now, error: { cause, message, field } });
  const format = { ...learned.format, field };
  const response = toResponse(learned, found, root, () => write(root, { lookup, format }));
  const own = Object.entries(headers).filter(([name]) => !isOwn || name in found.response.headers);
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(own) } };
}
