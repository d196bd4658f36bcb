import { decodeProfile } from "../profile/file-format.ts";
import type { ProfileFile } from "../profile/profile-types.ts";
import { learnedListPath } from "../profile/read.ts";

/** A list that was quick when it was measured may be slow under load: a payment sent twice costs more. */
const LISTED_MARGIN = 10;

/** What a gateway knows of its service from a profile. */
export function learnedService(file: ProfileFile) {
  const profile = decodeProfile(file);
  const { listedWithinMs } = profile.lists["GET /payments"] ?? {};
  return {
    profile,
    // After how long a new payment is in the list for certain.
    listedAfterMs: listedWithinMs && listedWithinMs * LISTED_MARGIN,
    // The path of the list of an endpoint, such as `content`.
    listPath: (endpoint: string) => learnedListPath(profile, endpoint),
  };
}
