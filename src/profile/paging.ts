import { mergeValues, total } from "./merge.ts";
import { findListPath, lastName, ROOT } from "./paths.ts";
import type { Counts, ListPaging, ServiceProfile, Shape } from "./profile-types.ts";
import { findSuccess } from "./read.ts";

const rolesByName = <Role extends string>(table: Readonly<Record<Role, string>>) =>
  new Map(
    Object.entries<string>(table).flatMap(([role, names]) =>
      names.split(" ").map((name) => [name, role as Role] as const),
    ),
  );

type RoleOf<Roles> = Roles extends ReadonlyMap<string, infer Role> ? Role : never;

// Names in lower case, without `_`, `-` and brackets.
const PARAMETER_ROLES = rolesByName({
  size: "perpage pagesize limit size count take rows maxresults maxitems",
  page: "page pagenumber pageno p pageindex currentpage number",
  offset: "offset skip start startindex",
  cursor: "cursor after startingafter pagetoken nexttoken nextcursor lastid before",
});

const FIELD_ROLES = rolesByName({
  page: "page currentpage pagenumber pageno pageindex number",
  size: "perpage pagesize limit size",
  offset: "offset skip start startindex",
  total: "total totalcount totalitems totalresults totalelements totalrecords itemstotal",
  pages: "pages lastpage totalpages pagecount numpages pagestotal",
  from: "from",
  to: "to",
  count: "count",
  more: "hasmore hasnext more hasnextpage",
  nextPage: "nextpage",
  nextCursor: "nextcursor cursor nexttoken nextpagetoken endcursor after",
  nextUrl: "next nextpageurl nextlink nexturl",
  previous: "prev previous prevpageurl prevpage prevcursor previouspage previouscursor before",
});

/** What a query parameter of a list asks for. */
export type ParameterRole = RoleOf<typeof PARAMETER_ROLES>;
/** What a field beside a list is. */
export type FieldRole = RoleOf<typeof FIELD_ROLES>;

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** What a query parameter asks for, by its name. `page[size]` is a size. `undefined`: not paging. */
export const parameterRole = (name: string): ParameterRole | undefined =>
  PARAMETER_ROLES.get(plain(name)) ?? PARAMETER_ROLES.get(plain(name.replace(/^page\[/, "")));

/** What a field beside a list is, by its name. `undefined`: nothing about paging. */
export const fieldRole = (name: string): FieldRole | undefined => FIELD_ROLES.get(plain(name));

type Parameters = { readonly [Role in ParameterRole]?: string };

/** How the service pages a list. */
export interface Paging {
  /** The names of the parameters that have an effect, by what they ask for. */
  readonly parameters: Parameters;
  /** The names of the parameters that were tried and had no effect. */
  readonly ignored: readonly string[];
  /** How many items a page has if none is asked for. */
  readonly defaultSize: number | undefined;
  /** The largest page. `undefined`: not known. */
  readonly maxSize: number | undefined;
  /** What happens to a request for a larger page. */
  readonly overMax: "clamped" | "rejected" | undefined;
  /** The number of the first page. */
  readonly firstPage: number | undefined;
  readonly order: "newest" | "oldest" | undefined;
  /** The fields beside the list, and what they are: `{ "meta.per_page": "size" }`. */
  readonly fields: { readonly [path: string]: FieldRole };
}

/** The fields of a response that stand beside its list, with what they are. */
function pagingFields(shape: Shape): Record<string, FieldRole> {
  const list = findListPath(shape);
  if (list === undefined || list === ROOT) return {};
  const beside = Object.entries(shape).flatMap(([path, { types }]) => {
    const isBeside = !path.includes("[]") && path !== list && path !== ROOT;
    const role = isBeside ? fieldRole(lastName(path)) : undefined;
    if (role === undefined || types.object !== undefined || types.array !== undefined) return [];
    return [[path, role] as const];
  });
  return Object.fromEntries(beside);
}

/** The majority decides: a payment that came between two reads made one of them look moved. */
const hasEffect = (one: { works?: Counts; ignored?: Counts }): boolean =>
  total(one.works) > total(one.ignored);

/** The parameters of lists that were tried and have an effect, by what they ask for. */
export function testedParameters(lists: readonly ListPaging[]): Parameters {
  const working = lists
    .flatMap(({ parameters = {} }) => Object.entries(parameters))
    .filter(([, one]) => hasEffect(one))
    .sort(([, a], [, b]) => total(a.works) - total(b.works));
  return Object.fromEntries(working.map(([name]) => [parameterRole(name) ?? "", name]));
}

const POSITIONS = ["page", "offset", "cursor"] as const;

/** A field beside a list usually has the name of the parameter: a guess, if none was tried. */
function guessedParameters(
  fields: Readonly<Record<string, FieldRole>>,
  ignored: readonly string[],
): Parameters {
  const guessed = Object.entries(fields).flatMap(([path, role]) => {
    const field = lastName(path);
    const isParameter = role === "size" || role === "page" || role === "offset";
    if (!isParameter || ignored.includes(field)) return [];
    return [[role, parameterRole(field) === role ? field : role] as const];
  });
  return Object.fromEntries(guessed.reverse());
}

/** How a list is paged: as it was seen there, or else at the other lists. */
export function findPaging(profile: ServiceProfile, endpoint: string): Paging {
  const lists = Object.values(profile.lists);
  const all = lists.reduce<ListPaging>((whole, one) => mergeValues(whole, one), {});
  const seen = profile.lists[endpoint] ?? all;
  const fields = pagingFields(findSuccess(profile, endpoint)?.response.body ?? {});
  const ignored = Object.entries(seen.parameters ?? {})
    .filter(([, one]) => !hasEffect(one))
    .map(([name]) => name);
  const others = testedParameters(lists);
  const known = {
    ...guessedParameters(fields, ignored),
    ...Object.fromEntries(Object.entries(others).filter(([, name]) => !ignored.includes(name))),
    ...testedParameters([profile.lists[endpoint] ?? {}]),
  };
  // A list is paged in one way: a guess does not stand beside what was tried.
  const tried = POSITIONS.filter((role) => others[role] !== undefined);
  const isUsed = (role: string) =>
    role === "size" || tried.length === 0 || tried.some((one) => one === role);
  const { clampedSizes: clamped = [], rejectedSizes = [], largestSize, firstPages } = all;
  const { newest, oldest } = seen.order ?? {};
  const isRejected = rejectedSizes.length > 0;
  const lead = total(newest) - total(oldest);
  return {
    parameters: Object.fromEntries(Object.entries(known).filter(([role]) => isUsed(role))),
    ignored,
    defaultSize: (seen.defaultSizes ?? all.defaultSizes)?.at(-1),
    maxSize: clamped.at(-1) ?? (isRejected ? largestSize : undefined),
    overMax: clamped.length > 0 ? "clamped" : isRejected ? "rejected" : undefined,
    firstPage: firstPages?.[0],
    order: lead === 0 ? undefined : lead > 0 ? "newest" : "oldest",
    fields,
  };
}
