import { total } from "./counts.ts";
import { mergeValues } from "./merge.ts";
import { findListPath, lastName, ROOT } from "./paths.ts";
import { findSuccess } from "./read.ts";
import type { Counts, ListPaging, ServiceProfile, Shape } from "./types.ts";

/** What a query parameter of a list asks for. */
export type ParameterRole = "size" | "page" | "offset" | "cursor";

/** What a field beside a list is. */
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
  page: "page pagenumber pageno p pageindex currentpage number",
  offset: "offset skip start startindex",
  cursor: "cursor after startingafter pagetoken nexttoken nextcursor lastid before",
});

const FIELD_ROLES = rolesByName<FieldRole>({
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

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** What a query parameter asks for, by its name. `page[size]` is a size. `undefined`: not paging. */
export const parameterRole = (name: string): ParameterRole | undefined =>
  PARAMETER_ROLES.get(plain(name)) ?? PARAMETER_ROLES.get(plain(name.replace(/^page\[/, "")));

/** What a field beside a list is, by its name. `undefined`: nothing about paging. */
export const fieldRole = (name: string): FieldRole | undefined => FIELD_ROLES.get(plain(name));

/** How the service pages a list. */
export interface Paging {
  /** The names of the parameters that have an effect, by what they ask for. */
  readonly parameters: { readonly [Role in ParameterRole]?: string };
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

type Parameters = { readonly [Role in ParameterRole]?: string };

/** The majority decides: a payment that came between two reads made one of them look moved. */
const hasEffect = (one: { works?: Counts; ignored?: Counts }): boolean =>
  total(one.works) > total(one.ignored);

/** The parameters of lists that were tried and have an effect, by what they ask for. */
export function testedParameters(lists: readonly ListPaging[]): Parameters {
  const tried = lists.flatMap(({ parameters = {} }) => Object.entries(parameters));
  const working = tried.filter(([, one]) => hasEffect(one));
  working.sort(([, a], [, b]) => total(a.works) - total(b.works));
  return Object.fromEntries(
    working.flatMap(([name]) => {
      const role = parameterRole(name);
      return role === undefined ? [] : [[role, name]];
    }),
  );
}

/** How a list is paged: as it was seen there, or else at the other lists. */
export function findPaging(profile: ServiceProfile, endpoint: string): Paging {
  const lists = Object.values(profile.lists);
  const own = profile.lists[endpoint];
  const seen = own ?? lists.reduce<ListPaging>((all, one) => mergeValues(all, one), {});
  const fields = pagingFields(findSuccess(profile, endpoint)?.response.body ?? {});
  const ignored = Object.entries(seen.parameters ?? {})
    .filter(([, one]) => !hasEffect(one))
    .map(([name]) => name);
  const others = testedParameters(lists);
  const elsewhere = Object.entries(others).filter(([, name]) => !ignored.includes(name));
  const parameters = {
    ...guessedParameters(fields, ignored),
    ...Object.fromEntries(elsewhere),
    ...testedParameters(own === undefined ? [] : [own]),
  };
  // A list is paged in one way: a guess does not stand beside what was tried.
  const position = POSITIONS.filter((role) => others[role] !== undefined);
  for (const role of position.length > 0 ? POSITIONS : []) {
    if (!position.includes(role)) delete parameters[role];
  }
  return { parameters, ignored, ...limitsOf(own ?? {}, seen, lists), order: orderOf(seen), fields };
}

const POSITIONS = ["page", "offset", "cursor"] as const;

/** A field beside a list usually has the name of the parameter: a guess, if none was tried. */
function guessedParameters(
  fields: Readonly<Record<string, FieldRole>>,
  ignored: readonly string[],
): Partial<Record<ParameterRole, string>> {
  const guessed: Partial<Record<ParameterRole, string>> = {};
  for (const [path, role] of Object.entries(fields)) {
    const field = lastName(path);
    if ((role === "size" || role === "page" || role === "offset") && !ignored.includes(field)) {
      guessed[role] ??= PARAMETER_ROLES.get(plain(field)) === role ? field : role;
    }
  }
  return guessed;
}

function limitsOf(own: ListPaging, seen: ListPaging, lists: readonly ListPaging[]) {
  const {
    clampedSizes = [],
    rejectedSizes = [],
    largestSize,
    firstPages,
  } = lists.reduce<ListPaging>((all, one) => mergeValues(all, one), seen);
  const { defaultSizes = [] } = own.defaultSizes === undefined ? seen : own;
  const clamped = clampedSizes.at(-1);
  const overMax =
    clamped !== undefined
      ? ("clamped" as const)
      : rejectedSizes.length > 0
        ? ("rejected" as const)
        : undefined;
  return {
    defaultSize: defaultSizes.at(-1),
    maxSize: clamped ?? (rejectedSizes.length > 0 ? largestSize : undefined),
    overMax,
    firstPage: firstPages?.[0],
  };
}

function orderOf({ order = {} }: ListPaging): Paging["order"] {
  const [newest, oldest] = [total(order.newest), total(order.oldest)];
  if (newest === oldest) return undefined;
  return newest > oldest ? "newest" : "oldest";
}
