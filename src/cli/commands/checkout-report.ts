import { withCommas } from "../../checkout/books/compare-books.ts";
import { type BooksReport, reportBooks } from "../../checkout/books/day-books.ts";
import type { CheckoutStore } from "../../checkout/checkout-store.ts";
import { TIMES } from "../../checkout/inputs.ts";
import { Engine } from "../../checkout/order-engine.ts";
import { html, inline, renderPage } from "../../html/html.ts";
import { describeError } from "../../internal/describe-error.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { createGateway } from "../gateway-from-flags.ts";
import { formatTable, paint, printError } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { onOrders } from "./checkout-orders.ts";

/** A day by the clock of this machine. */
function dayOf(given: string | undefined): { readonly from: Date; readonly to: Date } {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(given ?? "") ?? [];
  const today = new Date();
  const from =
    given === undefined
      ? new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
      : new Date(Number(year), Number(month) - 1, Number(day));
  if (given !== undefined && (Number.isNaN(from.getTime()) || from.getDate() !== Number(day))) {
    throw usageError(`--day must be a date such as 2026-11-23, not ${given}.`);
  }
  return { from, to: new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1) };
}

async function read(input: Input, store: CheckoutStore): Promise<BooksReport> {
  const { values } = input;
  const gateway = await createGateway(input, { idempotency: store.idempotency });
  const prefix = values.prefix ?? "";
  const engine = new Engine({
    store,
    gateway,
    prefix,
    times: TIMES,
    limits: { prompts: 1, withinMs: 1, openMs: 1 },
    // A process of the shop hands over the goods.
    onPaid: () => {},
    onReview: () => {},
    onError: (error) => printError(describeError(error)),
  });
  let [payments, orders] = [0, 0];
  const progress = input.json
    ? undefined
    : showProgress({ line: () => `${orders} orders and ${payments} payments read` });
  try {
    return await reportBooks(
      {
        store,
        gateway,
        prefix,
        note: (one) => engine.note(one),
        change: (id, change) => engine.change(id, change),
      },
      {
        ...dayOf(values.day),
        onProgress: (now) => {
          ({ payments, orders } = now);
        },
      },
    );
  } finally {
    progress?.end();
  }
}

const HEAD = ["what", "payment", "order", "account reference", "amount", "phone", "meaning"];

const rowsOf = ({ differences }: BooksReport): string[][] =>
  differences.map((one) => [
    one.kind,
    one.reference,
    one.orderId ?? "",
    one.accountReference ?? "",
    [one.currency, one.amount].filter(Boolean).join(" "),
    one.phone ?? "",
    one.message,
  ]);

/** A field of CSV. A spreadsheet would run what begins like a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const csvField = (text: string): string =>
  `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

const csvOf = (report: BooksReport): string =>
  [HEAD, ...rowsOf(report)].map((row) => row.map(csvField).join(",")).join("\r\n");

function textOf(report: BooksReport): string {
  const { agrees, differences, open, summary, isComplete } = report;
  const isClear = isComplete && differences.length === 0;
  const sums = agrees.map((one) => ["agrees", `${one.count}`, withCommas(one)]);
  const ages = Object.entries({
    "less than an hour old": open.underAnHour,
    "less than a day old": open.underADay,
    "less than a week old": open.underAWeek,
    older: open.older,
  }).map(([age, number]) => [`open, ${age}`, String(number)]);
  return [
    formatTable([["", "orders", "sum"], ...sums, ...ages.map((row) => [...row, ""])]),
    ...(differences.length > 0 ? [formatTable([HEAD, ...rowsOf(report)])] : []),
    paint(isClear ? "green" : "red", summary),
  ].join("\n\n");
}

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid;padding:.4rem .6rem;text-align:left;vertical-align:top}.wide{overflow-x:auto}";

function pageOf(report: BooksReport): string {
  const title = `Payments from ${report.from} to ${report.to}`;
  const cells = (row: readonly string[]) =>
    html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  const table = html`<div class="wide" tabindex="0" role="region" aria-label="What differs"><table><thead><tr>${HEAD.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rowsOf(report).map(cells)}</tbody></table></div>`;
  return renderPage({
    title,
    style: inline("style", STYLE).element,
    body: html`<main><h1>${title}</h1><p><strong>${report.summary}</strong></p>${report.differences.length > 0 && table}</main>`,
  });
}

/** `malipo checkout report` */
export const report = onOrders(async (_orders, input, store) => {
  const { switches } = input;
  if (switches.has("csv") && switches.has("html"))
    throw usageError("--csv does not go with --html.");
  const value = await read(input, store);
  const isClear = value.isComplete && value.differences.length === 0;
  // A table for a spreadsheet has no place for the summary.
  if (switches.has("csv")) printError(value.summary);
  const text = () => {
    if (switches.has("csv")) return csvOf(value);
    return switches.has("html") ? pageOf(value) : textOf(value);
  };
  return { value, text, exitCode: isClear ? EXIT.ok : EXIT.failed };
});
