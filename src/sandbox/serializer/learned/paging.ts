import type { EndpointName } from "../../../contract/endpoints.ts";
import { findPaging, parameterRole } from "../../../profile/paging.ts";
import { endpointKey } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMED_PAGING, type QueryPaging, readPage } from "../page-request.ts";
import type { Serializer } from "../serializer.ts";

type LearnedPaging = QueryPaging & { readonly isWhole: boolean };

const POSITIONS = ["page", "offset", "cursor"];

/** How a list is paged: as it was learned, or else as it is assumed, unless that has no effect. */
function pagingOf(profile: ServiceProfile, endpoint: EndpointName): LearnedPaging {
  const paging = findPaging(profile, endpointKey(endpoint));
  const { parameters, ignored, defaultSize } = paging;
  const assumed = Object.entries(ASSUMED_PAGING.parameters).filter(
    ([, name]) => !ignored.includes(name),
  );
  // A list cannot be paged if no parameter works, and one that asks for another page does not.
  const isUnpaged =
    Object.keys(parameters).length === 0 &&
    ignored.some((name) => POSITIONS.includes(parameterRole(name) ?? ""));
  const isWhole = isUnpaged && defaultSize === undefined;
  const { size, ...others } = { ...Object.fromEntries(assumed), ...parameters };
  return { ...paging, parameters: { ...others, ...(size && !isWhole && { size }) }, isWhole };
}

/** Reads the query of a list as the service does. */
export function learnedPaging(profile: ServiceProfile): Serializer["readPage"] {
  const known = new Map<EndpointName, LearnedPaging>();
  return (endpoint, query) => {
    const paging = known.get(endpoint) ?? pagingOf(profile, endpoint);
    known.set(endpoint, paging);
    const page = readPage(query, paging, paging.isWhole);
    return paging.order === "oldest" ? { ...page, oldestFirst: true } : page;
  };
}
