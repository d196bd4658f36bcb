import { ENDPOINTS, type EndpointName } from "../../contract/endpoints.ts";
import { total } from "../counts.ts";
import { findPaging, type Paging } from "../paging.ts";
import { childrenOf, findListPath, ROOT } from "../paths.ts";
import { endpointKey, findSuccess, isList } from "../read.ts";
import type { Shape } from "../types.ts";
import { enumerate, type Finding, type Rule, textsOf } from "./finding.ts";

const FIELDS = ["meta.page", "meta.per_page", "meta.total"];

/** What differs in the place of a list and in the fields beside it. */
function bodyDifferences(body: Shape, paging: Paging): string[] {
  const list = findListPath(body);
  if (list === undefined) return ["the response holds no list"];
  const fields = Object.keys(paging.fields);
  const others = ["success", "data", "meta", list];
  const rest = childrenOf(body, ROOT).filter((name) => !others.includes(name));
  const isUnknown = (name: string) => !fields.some((path) => path.startsWith(name));
  const names =
    fields.length === 0 ? "no paging fields" : `the paging fields are ${enumerate(fields)}`;
  return textsOf([
    [list !== "data", `the list is ${list === ROOT ? "the body itself" : list}`],
    [fields.length !== FIELDS.length || !FIELDS.every((one) => fields.includes(one)), names],
    [list !== ROOT && rest.some(isUnknown), `beside the list: ${enumerate(rest)}`],
  ]);
}

/** What the sandbox assumes of lists. */
interface AssumedLists {
  readonly perPage: number;
  readonly maxPerPage: number;
}

/** What differs in the parameters of lists and in their effect. */
function queryDifferences(paging: Paging, { perPage, maxPerPage }: AssumedLists): string[] {
  const { parameters, ignored, defaultSize = perPage, maxSize = maxPerPage } = paging;
  const { size, page, offset, cursor } = parameters;
  return textsOf([
    [(size ?? "per_page") !== "per_page", `?${size} sets the page length`],
    [(page ?? "page") !== "page", `?${page} sets the page`],
    [offset !== undefined, `?${offset} is the offset`],
    [cursor !== undefined, `?${cursor} is the cursor`],
    [size === undefined && ignored.includes("per_page"), "?per_page has no effect"],
    [page === undefined && ignored.includes("page"), "?page has no effect"],
    [defaultSize !== perPage, `${defaultSize} a page`],
    [maxSize !== maxPerPage, `${maxSize} a page at most`],
    [paging.overMax === "clamped", "a larger page is cut to the largest"],
    [paging.firstPage === 0, "the first page is 0"],
    [paging.order === "oldest", "the oldest come first"],
  ]);
}

const LISTS = (Object.keys(ENDPOINTS) as EndpointName[]).filter(isList).map(endpointKey);

/** Decides the query and the response of lists. */
export const listsRule =
  (assumed: AssumedLists): Rule =>
  (profile) =>
    LISTS.flatMap((endpoint): Finding[] => {
      const { body, seen } = findSuccess(profile, endpoint)?.response ?? {};
      if (body === undefined) return [];
      const paging = findPaging(profile, endpoint);
      const contradictions = [
        ...bodyDifferences(body, paging),
        ...queryDifferences(paging, assumed),
      ];
      return [{ seen: total(seen), contradictions }];
    });
