import { total } from "./counts.ts";
import { mergeValues } from "./merge.ts";
import { findListPath, lastName, ROOT } from "./paths.ts";
import { findSuccess } from "./read.ts";
import type { Counts, ListFacts, ServiceProfile, Shape } from "./types.ts";

/** What a query parameter of a list asks for. */
export type ParameterRole = "size" | "page" | "offset" | "cursor";

/** What a field beside a list says. */
export type FieldRole =
  | "page"
  | "size"
  | "offset"
  | "total"
  | "pages"
  | "from"
  | "to"
  | "count"
  | "more"
  | "nextPage"
  | "nextCursor"
  | "nextUrl"
  | "previous";

const rolesByName = <Role extends string>(table: Readonly<Record<Role, string>>) =>
  new Map(
    Object.entries<string>(table).flatMap(([role, names]) =>
      names.split(" ").map((name) => [name, role as Role] as const),
    ),
  );

// Names in lower case, without `_`, `-` and brackets.
const PARAMETER_ROLES = rolesByName<ParameterRole>({
  size: "perpage pagesize limit size count take rows maxresults maxitems",
  page: "page pagenumber pageno p pageindex currentpage",
  offset: "offset skip start startindex",
  cursor: "cursor after startingafter pagetoken nexttoken nextcursor lastid before",
});

const FIELD_ROLES = rolesByName<FieldRole>({
  page: "page currentpage pagenumber pageno pageindex number",
  size: "perpage pagesize limit size",
  offset: "offset skip start startindex",
  total: "total totalcount totalitems totalresults totalelements totalrecords",
  pages: "pages lastpage totalpages pagecount numpages",
  from: "from",
  to: "to",
  count: "count",
  more: "hasmore hasnext more hasnextpage",
  nextPage: "nextpage",
  nextCursor: "nextcursor cursor nexttoken nextpagetoken endcursor",
  nextUrl: "next nextpageurl nextlink nexturl",
  previous: "prev previous prevpageurl prevpage prevcursor previouspage previouscursor",
});

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** What a query parameter asks for, by its name. `page[size]` is a size. `undefined`: not paging. */
export const parameterRole = (name: string): ParameterRole | undefined =>
  PARAMETER_ROLES.get(plain(name)) ?? PARAMETER_ROLES.get(plain(name.replace(/^page\[/, "")));

/** What a field beside a list says, by its name. `undefined`: nothing about paging. */
export const fieldRole = (name: string): FieldRole | undefined => FIELD_ROLES.get(plain(name));

/** How the service pages a list. */
export interface Paging {
  /** The names of the parameters that have an effect, by what they ask for. */
  readonly parameters: { readonly [Role in ParameterRole]?: string };
  /** The names of the parameters that were tried and had no effect. */
  readonly ignored: readonly string[];
  /** How many items a page has where none is asked for. */
  readonly defaultSize: number | undefined;
  /** The largest page. `undefined`: not known. */
  readonly maxSize: number | undefined;
  /** What happens to a request for a larger page. */
  readonly overMax: "clamped" | "refused" | undefined;
  /** The number of the first page. */
  readonly firstPage: number | undefined;
  readonly order: "newest" | "oldest" | undefined;
  /** The fields beside the list, and what they say: `{ "meta.per_page": "size" }`. */
  readonly fields: { readonly [path: string]: FieldRole };
}

/** The fields of a response that stand beside its list, with what they say about paging. */
function pagingFields(shape: Shape): Record<string, FieldRole> {
  const list = findListPath(shape);
  if (list === undefined || list === ROOT) return {};
  const fields: Record<string, FieldRole> = {};
  for (const path of Object.keys(shape)) {
    const isBeside = !path.includes("[]") && path !== list && path !== ROOT;
    const role = isBeside ? fieldRole(lastName(path)) : undefined;
    const { types = {}, formats = [] } = shape[path] ?? {};
    if (role === undefined || types.object !== undefined || types.array !== undefined) continue;
    fields[path] = role === "nextUrl" ? nextRole(formats) : role;
  }
  return fields;
}

/** `next` may be an address, the number of a page, or a cursor. */
function nextRole(formats: readonly string[]): FieldRole {
  if (formats.includes("integer")) return "nextPage";
  return formats.includes("url") || formats.length === 0 || formats.includes("text")
    ? "nextUrl"
    : "nextCursor";
}

/** How a list is paged, as far as it was seen: at this endpoint, or else at the other lists. */
export function findPaging(profile: ServiceProfile, endpoint: string): Paging {
  const facts =
    profile.lists[endpoint] ??
    Object.values(profile.lists).reduce<ListFacts>((all, one) => mergeValues(all, one), {});
  const shape = findSuccess(profile, endpoint)?.response.body ?? {};
  const fields = pagingFields(shape);
  const tried = Object.entries(facts.parameters ?? {});
  // The majority decides: a payment that came between two reads made one of them look moved.
  const hasEffect = (one: { works?: Counts; ignored?: Counts }) =>
    total(one.works) > total(one.ignored);
  const ignored = tried.filter(([, one]) => !hasEffect(one)).map(([name]) => name);
  const parameters: Partial<Record<ParameterRole, string>> = {};
  // A field of a response usually has the name of the parameter: a guess, where nobody has asked.
  for (const path of Object.keys(fields)) guess(parameters, lastName(path), ignored);
  const working = tried.filter(([, one]) => hasEffect(one));
  working.sort(([, a], [, b]) => total(a.works) - total(b.works));
  for (const [name] of working) {
    const role = parameterRole(name);
    if (role !== undefined) parameters[role] = name;
  }
  return { parameters, ignored, ...limitsOf(facts), order: orderOf(facts), fields };
}

function guess(
  parameters: Partial<Record<ParameterRole, string>>,
  field: string,
  ignored: readonly string[],
): void {
  const role = fieldRole(field);
  if ((role === "size" || role === "page" || role === "offset") && !ignored.includes(field)) {
    parameters[role] ??= PARAMETER_ROLES.get(plain(field)) === role ? field : role;
  }
}

function limitsOf(facts: ListFacts) {
  const { defaultSizes = [], clampedSizes = [], refusedSizes = [], largestSize } = facts;
  const clamped = clampedSizes.at(-1);
  const overMax =
    clamped !== undefined
      ? ("clamped" as const)
      : refusedSizes.length > 0
        ? ("refused" as const)
        : undefined;
  return {
    defaultSize: defaultSizes.at(-1),
    maxSize: clamped ?? (refusedSizes.length > 0 ? largestSize : undefined),
    overMax,
    firstPage: facts.firstPages?.[0],
  };
}

function orderOf({ order = {} }: ListFacts): Paging["order"] {
  const [newest, oldest] = [total(order.newest), total(order.oldest)];
  if (newest === oldest) return undefined;
  return newest > oldest ? "newest" : "oldest";
}
