import { decodeProfile } from "../profile/file-format.ts";
import { learnedListPath } from "../profile/read.ts";
import type { ProfileFile, ServiceProfile } from "../profile/types.ts";

/** What a gateway knows of its service from a profile. */
export interface LearnedService {
  readonly profile: ServiceProfile;
  /** The path of the list of an endpoint, such as `content`. `undefined`: not known. */
  readonly listPath: (endpoint: string) => string | undefined;
}

export function learnedService(file: ProfileFile): LearnedService {
  const profile = decodeProfile(file);
  return { profile, listPath: (endpoint) => learnedListPath(profile, endpoint) };
}
