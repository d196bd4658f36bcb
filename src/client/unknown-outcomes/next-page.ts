import type { Payment } from "../../contract/payment.ts";
import { isObject } from "../../internal/is-object.ts";
import { type FieldRole, fieldRole } from "../../profile/paging.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";

/** Pages of these sizes are usual: a total that equals one may be the number of items of the page. */
const USUAL_PAGE_SIZES: ReadonlySet<number> = new Set([10, 15, 20, 25, 30, 50, 100, 200, 250, 500]);

type Fields = Record<string, unknown>;

/** The paging data of the envelope and of the objects in it that usually hold it, by its usual names. */
function pagingFields(meta: Fields): (role: FieldRole) => unknown[] {
  const inner = ["meta", "pagination", "links"].map((name) => meta[name]).filter(isObject);
  const fields = Object.entries<unknown>(Object.assign({}, meta, ...inner));
  return (role) => fields.filter(([name]) => fieldRole(name) === role).map(([, value]) => value);
}

/** What follows a page. `unknown`: there may be more, but the fields do not say how to get it. */
type NextPage = { readonly query: Query } | "end" | "unknown";

export interface PageInfo {
  readonly next: NextPage;
  /** How many payments there are, if the page says it. */
  readonly total: number | undefined;
}

export function pageInfo({ items, meta }: Page<Payment>): PageInfo {
  const valuesOf = pagingFields(meta);
  // A number, or the digits of one.
  const numberOf = (role: FieldRole): number | undefined => {
    const found = valuesOf(role).find((value) => /^\d+$/.test(String(value)));
    return found === undefined ? undefined : Number(found);
  };
  const total = numberOf("total");
  const url = valuesOf("nextUrl").find(
    (value): value is string => typeof value === "string" && value !== "",
  );
  if (url !== undefined && URL.canParse(url, "http://localhost")) {
    const query = Object.fromEntries(new URL(url, "http://localhost").searchParams);
    return { next: { query }, total };
  }
  const page = numberOf("page");
  const perPage = numberOf("size");
  const last =
    numberOf("pages") ??
    (perPage && total !== undefined ? Math.max(1, Math.ceil(total / perPage)) : undefined);
  if (page !== undefined && last !== undefined && page < last) {
    return { next: { query: { page: page + 1, ...(perPage && { per_page: perPage }) } }, total };
  }
  const saysMore =
    valuesOf("more").includes(true) ||
    valuesOf("nextCursor").some((cursor) => (cursor ?? "") !== "");
  const isLast = page !== undefined && last !== undefined;
  const isWhole = total === items.length && !USUAL_PAGE_SIZES.has(total);
  return { next: !saysMore && (isLast || isWhole) ? "end" : "unknown", total };
}
