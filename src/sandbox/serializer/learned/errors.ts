import { REJECTION_CAUSES, type RejectionCause } from "../../../profile/causes.ts";
import { endpointKey, type Found, findRejection, isAccepted } from "../../../profile/read.ts";
import type { ErrorCause, ErrorResponse } from "../../exchange/error-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import { ASSUMED_SERIALIZER, ASSUMED_STATUSES } from "../assumed.ts";
import type { RequestContext } from "../serializer.ts";
import { envelopeLookup } from "./envelope.ts";
import { toTree } from "./place.ts";
import { type Learned, toResponse } from "./responses.ts";
import { write } from "./write.ts";

/** Causes whose errors look alike: the body is borrowed, the status stays the assumption. */
const RELATED: Partial<Record<ErrorCause, readonly RejectionCause[]>> = {
  no_key: ["unknown_key"],
  unknown_key: ["no_key"],
  wrong_kind: ["missing_scope", "unknown_key"],
  missing_scope: ["wrong_kind", "unknown_key"],
  unknown_id: ["unknown_path"],
  unknown_path: ["unknown_id"],
  wrong_method: ["unknown_path"],
  invalid_path: ["unknown_path"],
  invalid_json: ["invalid_field", "invalid_phone"],
  invalid_field: ["invalid_phone", "invalid_json"],
  invalid_phone: ["invalid_field"],
  unusable_phone: ["invalid_phone", "invalid_field"],
};

/** An invalid phone is an invalid field: these have the same status. */
const SAME_STATUS: readonly ErrorCause[] = ["invalid_field", "invalid_phone", "unusable_phone"];

/** The status of every rejection that was seen, if they have one. */
function onlyStatus({ profile }: Learned): number | undefined {
  const causes: readonly RejectionCause[] = ["no_key", "unknown_key", "wrong_kind", "unknown_id"];
  const statuses = causes.map((cause) => findRejection(profile, cause)?.status);
  return new Set(statuses).size === 1 ? statuses[0] : undefined;
}

interface FoundError {
  readonly status: number;
  readonly found: Found;
  readonly isOwn: boolean;
}

function findError(
  learned: Learned,
  cause: ErrorCause,
  endpoint: string | undefined,
): FoundError | undefined {
  const { profile } = learned;
  const seen = (one: RejectionCause): Found | undefined => {
    const here = findRejection(profile, one, endpoint);
    if (here !== undefined && !isAccepted(here)) return here;
    return Object.entries(profile.rejections[one] ?? {})
      .map(([status, response]) => ({ status: Number(status), response }))
      .find((found) => !isAccepted(found));
  };
  const own = cause === "invalid_path" ? undefined : seen(cause);
  if (own !== undefined) return { status: own.status, found: own, isOwn: true };
  for (const other of [...(RELATED[cause] ?? []), ...REJECTION_CAUSES]) {
    const found = seen(other);
    if (found === undefined) continue;
    const isSame = SAME_STATUS.includes(cause) && SAME_STATUS.includes(other);
    const assumed = onlyStatus(learned) ?? ASSUMED_STATUSES[cause];
    return { status: isSame ? found.status : assumed, found, isOwn: false };
  }
  return undefined;
}

/** Writes an error as it was learned. */
export function writeError(
  learned: Learned,
  request: RequestContext,
  error: ErrorResponse,
): ApiResponse {
  const { cause, message, field = "" } = error;
  const known = findError(learned, cause, request.endpoint && endpointKey(request.endpoint));
  const root = known && toTree(known.found.response.body);
  if (known === undefined || root === undefined) return ASSUMED_SERIALIZER.error(request, error);
  const { status, found, isOwn } = known;
  const name = field.split(".")[0] ?? "";
  const lookup = envelopeLookup({
    status,
    now: request.now,
    error: { cause, message, field: name },
  });
  const format = { ...learned.format, field: name };
  const response = toResponse(learned, { ...found, status }, root, () =>
    write(root, { lookup, format }),
  );
  const own = Object.entries(error.headers).filter(
    ([header]) => !isOwn || header in found.response.headers,
  );
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(own) } };
}
