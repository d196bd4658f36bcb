import type { Payment } from "../../../contract/payment.ts";
import { isObject } from "../../../internal/is-object.ts";
import type { Query } from "../../http/url.ts";
import type { Page } from "../../response/page.ts";

/** Reads one page of the list of payments. */
export type ReadPage = (query: Query) => Promise<Page<Payment>>;

/** The payments of the service, as far as they could be read. */
export interface PaymentHistory {
  readonly payments: readonly Payment[];
  /**
   * Payments since this time are in the list, in milliseconds since 1970: `-Infinity` where the list
   * was read to its end, `Infinity` where nobody can say.
   */
  readonly reachesBackTo: number;
}

const MAX_PAGES = 1_000;

// How the service pages is not documented. These are the usual names.
const PAGE = ["page", "current_page", "currentPage"];
const LAST_PAGE = ["last_page", "lastPage", "total_pages", "totalPages", "pages"];
const PER_PAGE = ["per_page", "perPage", "limit", "page_size", "pageSize"];
const TOTAL = ["total", "total_count", "totalCount"];
const NEXT_URL = ["next_page_url", "nextPageUrl", "next"];
const TIME = ["created_at", "createdAt", "initiated_at", "initiatedAt"];

type Fields = Record<string, unknown>;

function find<T>(fields: Fields, names: readonly string[], is: (value: unknown) => value is T) {
  return names.map((name) => fields[name]).find(is);
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

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

/** The query of the next page; `end` after the last one; `undefined` where nobody can say. */
function nextQuery({ items, meta }: Page<Payment>): Query | "end" | undefined {
  const fields = pagingFields(meta);
  const url = find(fields, NEXT_URL, isText);
  if (url !== undefined && URL.canParse(url, "http://localhost")) {
    return Object.fromEntries(new URL(url, "http://localhost").searchParams);
  }
  const page = numberOf(fields, PAGE);
  const perPage = numberOf(fields, PER_PAGE);
  const total = numberOf(fields, TOTAL);
  const last =
    numberOf(fields, LAST_PAGE) ??
    (perPage && total !== undefined ? Math.max(1, Math.ceil(total / perPage)) : undefined);
  if (page !== undefined && last !== undefined) {
    return page >= last ? "end" : { page: page + 1, ...(perPage && { per_page: perPage }) };
  }
  return total !== undefined && total === items.length ? "end" : undefined;
}

/** When a payment was made, in milliseconds since 1970, where the service says it. */
export function timeOf(payment: Payment): number | undefined {
  const text = find(payment, TIME, isText);
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}

/** The time of the oldest payment, where every payment has one and the newest come first. */
function oldestTime(payments: readonly Payment[]): number | undefined {
  let oldest = Number.POSITIVE_INFINITY;
  for (const payment of payments) {
    const time = timeOf(payment);
    if (time === undefined || time > oldest) return undefined;
    oldest = time;
  }
  return payments.length === 0 ? undefined : oldest;
}

/**
 * Reads the list of payments, page by page, until it reaches back to a time, or to its end, or until
 * nobody can say how to get the next page.
 */
export async function readPayments(readPage: ReadPage, untilMs: number): Promise<PaymentHistory> {
  const payments: Payment[] = [];
  const seen = new Set<string>();
  let query: Query = {};
  for (let pages = 1; ; pages++) {
    const page = await readPage(query);
    const fresh = page.items.filter(({ reference }) => !seen.has(String(reference)));
    for (const { reference } of fresh) seen.add(String(reference));
    payments.push(...fresh);
    const oldest = oldestTime(payments) ?? Number.POSITIVE_INFINITY;
    const next = nextQuery(page);
    if (next === "end") return { payments, reachesBackTo: Number.NEGATIVE_INFINITY };
    // A page without news: the service does not page as its fields say.
    const isStuck = fresh.length === 0 || pages === MAX_PAGES;
    if (next === undefined || isStuck || oldest < untilMs) {
      return { payments, reachesBackTo: oldest };
    }
    query = next;
  }
}
