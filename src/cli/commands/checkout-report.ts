import { type BooksReport, reportBooks } from "../../checkout/books/day-books.ts";
import {
  booksAsCsv,
  booksAsPage,
  type DayReport,
  isAllClear,
  partsOf,
  titleOf,
} from "../../checkout/books/print-books.ts";
import type { CheckoutStore } from "../../checkout/orders/checkout-store.ts";
import { Engine } from "../../checkout/orders/order-engine.ts";
import { TIMES } from "../../checkout/rules/inputs.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { DAY_MS } from "../../internal/units.ts";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { CHECKOUT_REPORT } from "../flags/stores.ts";
import { createGateway } from "../gateway-from-flags.ts";
import { paint, printError } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { formatTable, type Screen } from "../terminal/table.ts";
import { onOrders } from "./checkout-orders.ts";

type ReportFlags = FlagsOf<typeof CHECKOUT_REPORT>;

/** A day in a time zone, and its first moments. */
interface Day {
  /** Such as 2026-11-23. */
  readonly day: string;
  readonly timeZone: string;
  readonly from: Date;
  readonly to: Date;
}

const dateIn = (timeZone: string, time: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone }).format(time);

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(timeZone: string, time: number): number {
  const options = { timeZone, dateStyle: "short", timeStyle: "medium" } as const;
  const local = new Intl.DateTimeFormat("sv-SE", options).format(time);
  return Date.parse(`${local.replace(" ", "T")}Z`) - Math.floor(time / 1_000) * 1_000;
}

/** The first moment of a day. Clocks that are changed at midnight differ from those of the day before. */
function beginOf(timeZone: string, midnight: number): Date {
  const near = midnight - offsetMs(timeZone, midnight);
  return new Date(midnight - offsetMs(timeZone, near));
}

function dayOf({ flags }: Input<ReportFlags>): Day {
  const timeZone = flags["time-zone"] ?? "Africa/Nairobi";
  try {
    dateIn(timeZone, 0);
  } catch {
    throw usageError(`--time-zone must be a time zone such as Africa/Nairobi, not ${timeZone}.`);
  }
  const today = dateIn(timeZone, Date.now());
  const given = flags.day === "today" ? today : flags.day;
  const day = given ?? dateIn(timeZone, Date.now() - DAY_MS);
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    throw usageError(`--day must be a date such as 2026-11-23, or today, not ${day}.`);
  }
  const [from, to] = [beginOf(timeZone, midnight), beginOf(timeZone, midnight + DAY_MS)];
  return { day, timeZone, from, to };
}

async function read(
  input: Input<ReportFlags>,
  store: CheckoutStore,
  { from, to }: Day,
): Promise<BooksReport> {
  const gateway = await createGateway(input, { idempotency: store.idempotency });
  const prefix = input.flags.prefix ?? "";
  const engine = new Engine({
    store,
    gateway,
    prefix,
    times: TIMES,
    limits: { prompts: 1, withinMs: 1, openMs: 1 },
    // A process of the shop hands over the goods.
    onPaid: () => {},
    onEmpty: () => {},
    onReview: () => {},
    onError: (error) => printError(input.io, describeError(error)),
  });
  let [payments, orders] = [0, 0];
  const progress = input.json
    ? undefined
    : showProgress({
        output: input.io.stderr,
        line: () => `${orders} orders and ${payments} payments read`,
      });
  try {
    return await reportBooks(
      {
        store,
        gateway,
        prefix,
        note: (one) => engine.note(one),
        write: (id, input) => engine.write(id, input),
      },
      {
        ...{ from, to },
        onProgress: (now) => {
          ({ payments, orders } = now);
        },
      },
    );
  } finally {
    progress?.end();
  }
}

/** `malipo checkout report` */
export const report = onOrders(
  async (_orders, input: Input<ReportFlags>, { settings: { store } }) => {
    const { csv, html, shop } = input.flags;
    if (csv && html) throw usageError("--csv does not go with --html.");
    const day = dayOf(input);
    const about = { day: day.day, timeZone: day.timeZone, ...(shop !== undefined && { shop }) };
    const value = { ...about, ...(await read(input, store, day)) };
    const text = () => {
      if (csv) return booksAsCsv(value);
      return html ? booksAsPage(value) : booksAsText(value, input.io.stdout);
    };
    return { value, text, exitCode: isAllClear(value) ? EXIT.ok : EXIT.failed };
  },
);

function booksAsText(value: DayReport, screen: Screen): string {
  const tables = partsOf(value).map(
    ({ title, head, rows }) => `${paint("bold", title)}\n${formatTable(screen, [head, ...rows])}`,
  );
  return [
    titleOf(value),
    ...tables,
    paint(isAllClear(value) ? "green" : "red", value.summary),
  ].join("\n\n");
}
