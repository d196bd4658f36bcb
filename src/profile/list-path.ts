import { findListPath } from "./paths.ts";
import { findSuccess } from "./read.ts";
import type { ServiceProfile } from "./types.ts";

/** Where the list stands in the responses of an endpoint, such as `content`. `undefined`: not known. */
export function learnedListPath(
  profile: ServiceProfile | undefined,
  endpoint: string,
): string | undefined {
  const body = profile && findSuccess(profile, endpoint)?.response.body;
  return body && findListPath(body);
}
