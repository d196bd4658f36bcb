import type { Payment } from "../../contract/payment.ts";
import { isObject } from "../../internal/is-object.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";

// The service does not document how it pages. These are the usual names.
const PAGE = ["page", "current_page", "currentPage"];
const LAST_PAGE = ["last_page", "lastPage", "total_pages", "totalPages", "pages"];
const PER_PAGE = ["per_page", "perPage", "limit", "page_size", "pageSize"];
const TOTAL = ["total", "total_count", "totalCount"];
const NEXT_URL = ["next_page_url", "nextPageUrl", "next"];
const HAS_MORE = ["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage"];
const CURSOR = ["next_cursor", "nextCursor", "cursor", "next_page_token", "nextPageToken"];

/** Pages of these sizes are usual: a total that equals one may be the number of items of the page. */
const USUAL_PAGE_SIZES: ReadonlySet<number> = new Set([10, 15, 20, 25, 30, 50, 100, 200, 250, 500]);

type Fields = Record<string, unknown>;

/** A number, or the digits of one. */
function numberOf(fields: Fields, names: readonly string[]): number | undefined {
  const found = names.map((name) => fields[name]).find((value) => /^\d+$/.test(String(value)));
  return found === undefined ? undefined : Number(found);
}

/** The envelope's fields, and those of the objects in it that usually hold paging data. */
function pagingFields(meta: Fields): Fields {
  const inner = ["meta", "pagination", "links"].map((name) => meta[name]).filter(isObject);
  return Object.assign({}, meta, ...inner);
}

/** What follows a page. `unknown`: there may be more, but the fields do not say how to get it. */
type NextPage = { readonly query: Query } | "end" | "unknown";

/** What a page says of the pages after it. */
export interface PageInfo {
  readonly next: NextPage;
  /** How many payments there are, if the page says it. */
  readonly total: number | undefined;
}

/** Reads the paging fields of a page. */
export function pageInfo({ items, meta }: Page<Payment>): PageInfo {
  const fields = pagingFields(meta);
  const total = numberOf(fields, TOTAL);
  const url = NEXT_URL.map((name) => fields[name]).find(
    (value): value is string => typeof value === "string" && value !== "",
  );
  if (url !== undefined && URL.canParse(url, "http://localhost")) {
    const query = Object.fromEntries(new URL(url, "http://localhost").searchParams);
    return { next: { query }, total };
  }
  const page = numberOf(fields, PAGE);
  const perPage = numberOf(fields, PER_PAGE);
  const last =
    numberOf(fields, LAST_PAGE) ??
    (perPage && total !== undefined ? Math.max(1, Math.ceil(total / perPage)) : undefined);
  if (page !== undefined && last !== undefined && page < last) {
    return { next: { query: { page: page + 1, ...(perPage && { per_page: perPage }) } }, total };
  }
  const saysMore =
    HAS_MORE.some((name) => fields[name] === true) ||
    CURSOR.some(
      (name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "",
    );
  const isLast = page !== undefined && last !== undefined;
  const isWhole = total === items.length && !USUAL_PAGE_SIZES.has(total);
  return { next: !saysMore && (isLast || isWhole) ? "end" : "unknown", total };
}
