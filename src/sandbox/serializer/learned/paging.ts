import type { EndpointName } from "../../../contract/endpoints.ts";
import { findPaging, type Paging, parameterRole } from "../../../profile/paging.ts";
import { endpointKey } from "../../../profile/read.ts";
import type { ServiceProfile } from "../../../profile/types.ts";
import { ASSUMPTIONS } from "../../assumptions.ts";
import type { PageRequest } from "../../exchange/result.ts";
import { readNumber } from "../page-request.ts";
import { offsetOfCursor } from "./envelope.ts";

/** More items than any list has. */
const ALL = 999_999_999;

/** The name of a parameter: the learned one, or the assumed one unless it has no effect. */
const nameOf = (learned: string | undefined, assumed: string, { ignored }: Paging) =>
  learned ?? (ignored.includes(assumed) ? undefined : assumed);

/** Reads the query of a list as the service does. */
export function learnedPaging(
  profile: ServiceProfile,
): (endpoint: EndpointName, query: URLSearchParams) => PageRequest {
  const known = new Map<EndpointName, Paging>();
  return (endpoint, query) => {
    const paging = known.get(endpoint) ?? findPaging(profile, endpointKey(endpoint));
    known.set(endpoint, paging);
    const order = paging.order === "oldest" ? { oldestFirst: true } : {};
    return { ...readPage(paging, query), ...order };
  };
}

function readPage(paging: Paging, query: URLSearchParams): PageRequest {
  const { parameters, firstPage = 1 } = paging;
  const isByPage = parameters.offset === undefined && parameters.cursor === undefined;
  const size = readSize(paging, query);
  if (parameters.cursor !== undefined) {
    const cursor = query.get(parameters.cursor);
    const page = pageFrom(offsetOfCursor(cursor), size);
    return cursor === null ? page : { ...page, after: cursor };
  }
  if (parameters.offset !== undefined) {
    return pageFrom(readNumber(query, parameters.offset, { fallback: 0, min: 0 }), size);
  }
  const name = isByPage ? nameOf(parameters.page, "page", paging) : undefined;
  if (name === undefined) return pageFrom(0, size);
  const page = readNumber(query, name, { fallback: firstPage, min: firstPage }) - firstPage;
  return pageFrom(page * size, size);
}

const pageFrom = (offset: number, size: number): PageRequest => ({
  page: Math.floor(offset / size) + 1,
  size,
  offset,
});

/** Whether a list cannot be paged: no parameter works, and one that asks for another page does not. */
const isUnpaged = ({ parameters, ignored }: Paging): boolean =>
  Object.keys(parameters).length === 0 &&
  ignored.some((name) => ["page", "offset", "cursor"].includes(parameterRole(name) ?? ""));

function readSize(paging: Paging, query: URLSearchParams): number {
  const { perPage, maxPerPage } = ASSUMPTIONS.lists.value;
  const { parameters, defaultSize, maxSize, overMax } = paging;
  const name = nameOf(parameters.size, "per_page", paging);
  const isWhole = isUnpaged(paging) && defaultSize === undefined;
  const fallback = defaultSize ?? (isWhole ? ALL : perPage);
  if (name === undefined || isWhole) return fallback;
  const max = Math.max(maxSize ?? maxPerPage, fallback);
  if (overMax !== "clamped") return readNumber(query, name, { fallback, max });
  return Math.min(readNumber(query, name, { fallback }), max);
}
