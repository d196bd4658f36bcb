import { decodeProfile } from "../profile/file-format.ts";
import { learnedListPath } from "../profile/read.ts";
import type { ProfileFile } from "../profile/types.ts";

/** What a gateway knows of its service from a profile. */
export function learnedService(file: ProfileFile) {
  const profile = decodeProfile(file);
  // The path of the list of an endpoint, such as `content`.
  return { profile, listPath: (endpoint: string) => learnedListPath(profile, endpoint) };
}
