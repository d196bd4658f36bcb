// The books of a day, as text, as CSV and as a page.
import { html, inline, renderPage } from "../../html/html.ts";
import { csvField } from "../../internal/csv-field.ts";
import type { Review } from "../rules/order-types.ts";
import type { BookedPayment, Difference } from "./compare-books.ts";
import type { BooksReport } from "./day-books.ts";
import { withCommas } from "./day-summary.ts";
import type { BookedRefund, GoodsDue } from "./read-books.ts";

// The bundled stylesheet: see scripts/page-assets.ts.
declare const BOOKS_STYLE: string;

/** A report, and the day that it is about. */
export interface DayReport extends BooksReport {
  /** Such as 2026-11-23. */
  readonly day: string;
  readonly timeZone: string;
  /** The name of the shop. */
  readonly shop?: string | undefined;
}

/** Whether nothing is left for a person. */
export const isAllClear = (report: BooksReport): boolean =>
  report.isComplete &&
  [report.differences, report.openReviews, report.goodsDue].every(({ length }) => length === 0);

/** The day and its zone, since two servers may cut it at two times. */
export const titleOf = ({ day, timeZone, shop }: DayReport): string =>
  `${shop === undefined ? "Payments" : `${shop}: payments`} of ${day}, by the clock of ${timeZone}`;

/** A part of the books: a table. */
interface BooksPart {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SUMS_HEAD = ["what", "number", "sum"];

const moneyOf = ({ amount, currency }: Pick<Review, "amount" | "currency">): string => {
  if (amount === undefined) return "";
  return currency === undefined ? amount : withCommas({ amount, currency });
};

const BOOKED_HEAD = [
  "payment",
  "order",
  "account reference",
  "amount",
  "phone",
  "network code",
  "time",
];
const PAYMENTS_HEAD = ["what", ...BOOKED_HEAD, "meaning"];

/** A time in the zone of the report. */
const timeIn = (timeZone: string, time: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
    new Date(time),
  );

const bookedRow =
  ({ timeZone }: DayReport) =>
  (one: BookedPayment): string[] => [
    one.reference,
    one.orderId ?? "",
    one.accountReference ?? "",
    moneyOf(one),
    one.phone ?? "",
    one.transactionId ?? "",
    one.paidAt === undefined ? "" : timeIn(timeZone, one.paidAt),
  ];

const paymentRow =
  (report: DayReport) =>
  (one: Difference): string[] => [one.kind, ...bookedRow(report)(one), one.message];

const reviewRow =
  ({ timeZone }: DayReport) =>
  (one: Review): string[] => [
    one.kind,
    one.references.at(-1) ?? "",
    one.orderId ?? "",
    moneyOf(one),
    timeIn(timeZone, one.createdAt),
    one.message,
  ];

const refundRow =
  ({ timeZone }: DayReport) =>
  (one: BookedRefund): string[] => [
    one.orderId,
    one.accountReference,
    moneyOf(one),
    one.reference ?? "",
    one.by ?? "",
    timeIn(timeZone, one.at),
    one.reason ?? "",
  ];

const goodsRow =
  ({ timeZone }: DayReport) =>
  (one: GoodsDue): string[] => [
    one.orderId,
    moneyOf(one),
    timeIn(timeZone, one.paidAt),
    String(one.tries),
  ];

function sumRows(report: DayReport): string[][] {
  const { received, agrees, parts, accepted, refunded, dismissed, open } = report;
  const sums = {
    "received at the service": received,
    "agree with their orders": agrees,
    "parts of their orders": parts,
    "another amount, accepted": accepted,
    "paid back": refunded,
    dismissed,
  };
  const ages = {
    "orders still open, under an hour old": open.underAnHour,
    "orders still open, under a day old": open.underADay,
    "orders still open, under a week old": open.underAWeek,
    "orders still open, older": open.older,
  };
  return [
    ...Object.entries(sums).flatMap(([name, list]) =>
      list.map((one) => [`payments, ${name}`, String(one.count), withCommas(one)]),
    ),
    ...Object.entries(ages).map(([name, number]) => [name, String(number), ""]),
  ];
}

/** The parts of the books that have something to show: what a person has to know, for a terminal. */
export function partsOf(report: DayReport): readonly BooksPart[] {
  const { differences, openReviews, goodsDue, refunds, paidBack } = report;
  const parts: readonly BooksPart[] = [
    { title: "Sums", head: SUMS_HEAD, rows: sumRows(report) },
    { title: "What differs", head: PAYMENTS_HEAD, rows: differences.map(paymentRow(report)) },
    {
      title: "Other reviews that are open",
      head: ["what", "payment", "order", "amount", "since", "meaning"],
      rows: openReviews.map(reviewRow(report)),
    },
    {
      title: "Paid orders without their goods",
      head: ["order", "amount", "paid at", "tries of onPaid"],
      rows: goodsDue.map(goodsRow(report)),
    },
    {
      title: "Payments that were paid back",
      head: BOOKED_HEAD,
      rows: refunds.map(bookedRow(report)),
    },
    {
      title: "Refunds that were noted",
      head: ["order", "account reference", "amount", "refund", "by", "time", "reason"],
      rows: paidBack.map(refundRow(report)),
    },
  ];
  return parts.filter(({ rows }) => rows.length > 0);
}

/** All parts: those, and each payment that paid an order. */
function wholeParts(report: DayReport): readonly BooksPart[] {
  const rows = report.payments.map(bookedRow(report));
  const paid = { title: "Payments of paid orders", head: BOOKED_HEAD, rows };
  return [...partsOf(report), ...(rows.length > 0 ? [paid] : [])];
}

/**
 * The books for a spreadsheet: one table, whose columns are those of all parts. Lines end with a line feed
 * alone, since the command line makes every other control character visible.
 */
export function booksAsCsv(report: DayReport): string {
  const parts = wholeParts(report);
  const columns = [...new Set(parts.flatMap(({ head }) => head))];
  const rows = parts.flatMap(({ title, head, rows }) =>
    rows.map((row) => [title, ...columns.map((name) => row[head.indexOf(name)] ?? "")]),
  );
  const about = columns.map(() => "");
  return [
    ["part", ...columns],
    ...rows,
    ["Day", titleOf(report), ...about.slice(1)],
    ["Summary", report.summary, ...about.slice(1)],
  ]
    .map((row) => row.map(csvField).join(","))
    .join("\n");
}

const NUMBERS: readonly string[] = ["number", "sum", "amount", "tries of onPaid"];
const SHORT: readonly string[] = ["phone", "network code", "time", "since", "paid at"];

/** Numbers stand below each other, and what is short stands in one line. */
const classOf = (column = ""): string =>
  NUMBERS.includes(column) ? "number" : SHORT.includes(column) ? "short" : "";

/** More columns than a phone has room for. */
const MANY = 4;

const named = (column = ""): string => column.charAt(0).toUpperCase() + column.slice(1);

/** A row as a page shows it: `no_order` is `No order`. */
const cellText = (column: string | undefined, text: string): string =>
  column === "what" ? named(text.replaceAll("_", " ")) : text;

/** The books as a page that can be sent or printed. */
export function booksAsPage(report: DayReport): string {
  const tables = wholeParts(report).map(
    ({ title, head, rows }) =>
      html`<section class="card"><h2>${title}</h2><div class="wide" tabindex="0" role="region" aria-label="${title}"><table class="${head.length >= MANY && "many"}"><thead><tr>${head.map((name) => html`<th scope="col" class="${classOf(name)}">${named(name)}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td class="${classOf(head[at])}" data-name="${named(head[at])}">${cellText(head[at], cell)}</td>`)}</tr>`)}</tbody></table></div></section>`,
  );
  const title = titleOf(report);
  const [before, after] = title.split(report.day);
  const tone = isAllClear(report) ? "good" : "bad";
  return renderPage({
    title,
    style: inline("style", BOOKS_STYLE).element,
    body: html`<main><h1>${before}<span class="short">${report.day}</span>${after}</h1><p class="notice ${tone}"><strong>${report.summary}</strong></p>${tables}</main>`,
  });
}
