import type { Payment } from "../../contract/payment.ts";
import { isObject } from "../../internal/is-object.ts";
import { idText } from "../../internal/json.ts";
import { HOUR_MS, MINUTE_MS } from "../../internal/units.ts";
import { type FieldRole, fieldRole } from "../../profile/paging.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";

/** Reads one page of the list of payments. */
export type ReadPage = (
  query: Query,
) => Promise<{ readonly data: Page<Payment>; readonly response: Response }>;

/** The payments of the service, as far as they could be read. */
export interface PaymentHistory {
  readonly payments: readonly Payment[];
  /**
   * Payments since this time are in the list, in milliseconds since 1970 by the service's clock:
   * `-Infinity` if the list was read to its end, `Infinity` if it is not known.
   */
  readonly reachesBackTo: number;
  /**
   * How far the service's clock is ahead of this machine's, in milliseconds, to a second or two;
   * `undefined` if the service does not say.
   */
  readonly clockOffsetMs: number | undefined;
}

/**
 * How far a payment's time may differ from the clock that the `Date` header shows: times without
 * seconds, several machines behind one address, a wait between the request and its record.
 */
export const CLOCK_MARGIN_MS: number = 5 * MINUTE_MS;

/** The same, for a service that does not show its clock. */
const UNKNOWN_CLOCK_MARGIN_MS = HOUR_MS;

const MAX_PAGES = 1_000;

const TIME = ["created_at", "createdAt", "initiated_at", "initiatedAt"];

/** A date and a time with its offset. Without an offset, the moment is not known. */
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** When a payment was made, in milliseconds since 1970, if the service says it. */
export function timeOf(payment: Payment): number | undefined {
  const text = TIME.map((name) => payment[name]).find((value) => typeof value === "string");
  if (!MOMENT.test(String(text))) return undefined;
  const time = Date.parse(String(text));
  return Number.isFinite(time) ? time : undefined;
}

/** A list whose times fall this often, and never rise, has the newest payments first. */
const MIN_FALLS = 3;

/** The time of the oldest payment, if every payment has one and the newest come first. */
function oldestTime(payments: readonly Payment[], nowMs: number): number | undefined {
  // A time from the future is of another clock than the one that `nowMs` comes from.
  let oldest = nowMs + CLOCK_MARGIN_MS;
  const times = new Set<number>();
  for (const payment of payments) {
    const time = timeOf(payment);
    if (time === undefined || time > oldest) return undefined;
    times.add(time);
    oldest = time;
  }
  return times.size > MIN_FALLS ? oldest : undefined;
}

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

interface PageInfo {
  readonly next: NextPage;
  /** How many payments there are, if the page says it. */
  readonly total: number | undefined;
}

function pageInfo({ items, meta }: Page<Payment>): PageInfo {
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

/** The clock of a service against this machine's. A response from a cache says nothing of it. */
function clockOffset({ headers }: Response): number | undefined {
  const date = isFromCache(headers) ? Number.NaN : Date.parse(headers?.get("date") ?? "");
  return Number.isFinite(date) ? date - Date.now() : undefined;
}

const isFromCache = (headers: Headers | undefined): boolean => Number(headers?.get("age") ?? 0) > 0;

/**
 * Reads the list of payments, page by page, until it reaches back to a time, or to its end, or until
 * the service does not say how to get the next page.
 *
 * @param sinceMs - By this machine's clock.
 */
export async function readPayments(readPage: ReadPage, sinceMs: number): Promise<PaymentHistory> {
  const payments: Payment[] = [];
  const seen = new Set<string>();
  let query: Query = {};
  let clockOffsetMs: number | undefined;
  let firstTotal: number | undefined;
  let isCached = false;
  for (let pages = 1; ; pages++) {
    const { data: page, response } = await readPage(query);
    const { next, total } = pageInfo(page);
    if (pages === 1) {
      clockOffsetMs = clockOffset(response);
      firstTotal = total;
    }
    isCached ||= isFromCache(response.headers);
    const fresh = page.items.filter((payment) => !seen.has(paymentIdentity(payment)));
    for (const payment of fresh) seen.add(paymentIdentity(payment));
    payments.push(...fresh);
    const oldest =
      oldestTime(payments, Date.now() + (clockOffsetMs ?? 0)) ?? Number.POSITIVE_INFINITY;
    // Payments that came during the look make the total larger, and are not looked for.
    if (next === "end" && !isCached && seen.size >= (firstTotal ?? 0)) {
      return { payments, reachesBackTo: Number.NEGATIVE_INFINITY, clockOffsetMs };
    }
    const marginMs = clockOffsetMs === undefined ? UNKNOWN_CLOCK_MARGIN_MS : CLOCK_MARGIN_MS;
    const untilMs = sinceMs + (clockOffsetMs ?? 0) - marginMs;
    // A page without news: the service does not page as its fields say.
    const isStuck = fresh.length === 0 || pages === MAX_PAGES;
    if (typeof next === "string" || isStuck || oldest < untilMs) {
      const reachesBackTo = isCached ? Number.POSITIVE_INFINITY : oldest;
      return { payments, reachesBackTo, clockOffsetMs };
    }
    query = next.query;
  }
}

/** What tells two payments apart: pages may overlap, and a status may change meanwhile. */
function paymentIdentity(payment: Payment): string {
  const { account_reference, amount, phone } = Object(payment) as Partial<Payment>;
  const reference = idText(payment?.reference);
  return JSON.stringify(
    reference === undefined ? payment : [reference, account_reference, amount, phone],
  );
}
