import { total } from "../counts.ts";
import { findPaging, type Paging } from "../paging.ts";
import { childrenOf, findListPath, ROOT } from "../paths.ts";
import { findSuccess } from "../read.ts";
import type { ServiceProfile } from "../types.ts";
import { enumerate, type Finding, joinFindings, NOTHING_SEEN, type Rule } from "./finding.ts";
import { LISTS } from "./resources.ts";

/** What the sandbox assumes of lists. */
interface AssumedLists {
  readonly perPage: number;
  readonly maxPerPage: number;
}

const FIELDS = ["meta.page", "meta.per_page", "meta.total"];

/** What differs in the place of a list and in the fields beside it. */
function bodyDifferences(profile: ServiceProfile, endpoint: string): string[] {
  const body = findSuccess(profile, endpoint)?.response.body ?? {};
  const list = findListPath(body);
  if (list === undefined) return ["the response holds no list"];
  const place = list === ROOT ? "the body itself" : list;
  const beside = Object.keys(findPaging(profile, endpoint).fields);
  const others = ["success", "data", "meta"];
  const rest = childrenOf(body, ROOT).filter((name) => !others.includes(name) && name !== list);
  const isAssumed = FIELDS.every((path) => beside.includes(path)) && beside.length === 3;
  return [
    ...(list === "data" ? [] : [`the list is ${place}`]),
    ...(isAssumed
      ? []
      : [beside.length === 0 ? "no paging fields" : `the paging fields are ${enumerate(beside)}`]),
    ...(list !== ROOT && rest.some((name) => !beside.some((path) => path.startsWith(name)))
      ? [`beside the list: ${enumerate(rest)}`]
      : []),
  ];
}

/** What differs in the parameters of lists and in their effect. */
function queryDifferences(paging: Paging, { perPage, maxPerPage }: AssumedLists): string[] {
  const { parameters, ignored, defaultSize, maxSize, overMax, firstPage, order } = paging;
  const found: string[] = [];
  const isNew = (name: string | undefined, assumed: string) =>
    name !== undefined && name !== assumed;
  if (isNew(parameters.size, "per_page")) found.push(`?${parameters.size} sets the page length`);
  if (isNew(parameters.page, "page")) found.push(`?${parameters.page} sets the page`);
  for (const role of ["offset", "cursor"] as const) {
    if (parameters[role] !== undefined) found.push(`?${parameters[role]} is the ${role}`);
  }
  for (const [role, name] of [
    ["size", "per_page"],
    ["page", "page"],
  ] as const) {
    if (ignored.includes(name) && parameters[role] === undefined)
      found.push(`?${name} has no effect`);
  }
  if (defaultSize !== undefined && defaultSize !== perPage) found.push(`${defaultSize} a page`);
  if (maxSize !== undefined && maxSize !== maxPerPage) found.push(`${maxSize} a page at most`);
  if (overMax === "clamped") found.push("a larger page is cut to the largest");
  if (firstPage === 0) found.push("the first page is 0");
  if (order === "oldest") found.push("the oldest come first");
  return found;
}

/** Decides the query and the response of lists. */
export const listsRule =
  (assumed: AssumedLists): Rule =>
  (profile) =>
    joinFindings(
      LISTS.map((endpoint): Finding => {
        const found = findSuccess(profile, endpoint);
        if (found === undefined) return NOTHING_SEEN;
        const query = queryDifferences(findPaging(profile, endpoint), assumed);
        const contradictions = [...bodyDifferences(profile, endpoint), ...query];
        return { seen: total(found.response.seen), contradictions };
      }),
    );
