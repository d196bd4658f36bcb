import { REFUSAL_CAUSES, type RefusalCause } from "../../../profile/causes.ts";
import { endpointKey, type Found, findRefusal, isAccepted } from "../../../profile/read.ts";
import type { ErrorCause, ErrorResponse } from "../../exchange/error-response.ts";
import type { ApiResponse } from "../../exchange/messages.ts";
import { ASSUMED_SPEECH, ASSUMED_STATUSES } from "../assumed.ts";
import type { Asked } from "../serializer.ts";
import { envelopeLookup } from "./envelope.ts";
import { type Learned, toResponse } from "./responses.ts";
import { toTree } from "./shape-tree.ts";
import { say } from "./write.ts";

/** Causes whose errors look alike: the body is borrowed, the status stays the assumption. */
const RELATED: Partial<Record<ErrorCause, readonly RefusalCause[]>> = {
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

/** An invalid phone is an invalid field: these two have the same status. */
const SAME_STATUS: readonly ErrorCause[] = ["invalid_field", "invalid_phone", "unusable_phone"];

interface FoundError {
  readonly status: number;
  readonly found: Found;
  readonly isOwn: boolean;
}

function findError({ profile }: Learned, cause: ErrorCause, endpoint: string | undefined) {
  const seen = (one: RefusalCause): Found | undefined => {
    const here = findRefusal(profile, one, endpoint);
    if (here !== undefined && !isAccepted(here)) return here;
    const anywhere = Object.entries(profile.refusals[one] ?? {})
      .map(([status, response]) => ({ status: Number(status), response }))
      .find((found) => !isAccepted(found));
    return anywhere;
  };
  if (cause !== "invalid_path") {
    const found = seen(cause);
    if (found !== undefined) return { status: found.status, found, isOwn: true };
  }
  for (const other of [...(RELATED[cause] ?? []), ...REFUSAL_CAUSES]) {
    const found = seen(other);
    if (found === undefined) continue;
    const isSame = SAME_STATUS.includes(cause) && SAME_STATUS.includes(other);
    return { status: isSame ? found.status : ASSUMED_STATUSES[cause], found, isOwn: false };
  }
  return undefined;
}

/** Says an error as it was learned. */
export function sayError(learned: Learned, asked: Asked, error: ErrorResponse): ApiResponse {
  const { cause, message, field = "" } = error;
  const endpoint = asked.endpoint && endpointKey(asked.endpoint);
  const known: FoundError | undefined = findError(learned, cause, endpoint);
  const root = known && toTree(known.found.response.body);
  if (known === undefined || root === undefined) return ASSUMED_SPEECH.error(asked, error);
  const { status, found, isOwn } = known;
  const details = { cause, message, field };
  const lookup = envelopeLookup({ status, path: asked.path, now: asked.now, error: details });
  const manner = { ...learned.manner, field: field.split(".")[0] ?? "" };
  const response = toResponse(learned, status, found, root, () => say(root, lookup, manner));
  const kept = Object.entries(error.headers).filter(
    ([name]) => !isOwn || name in found.response.headers,
  );
  return { ...response, headers: { ...response.headers, ...Object.fromEntries(kept) } };
}
