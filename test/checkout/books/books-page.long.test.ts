import { expect, test } from "vitest";
import { booksAsPage, type DayReport } from "../../../src/checkout/books/print-books.ts";
import { browserForSuite } from "../../browser/browser-for-suite.ts";
import { checkLook } from "../../browser/check-look.ts";
import { contactSheet } from "../../browser/contact-sheet.ts";
import { hasChromium } from "../../support/chromium.ts";

const browser = browserForSuite();

const payment = (reference: string, orderId?: string) => ({
  reference,
  ...(orderId !== undefined && { orderId }),
  accountReference: `ACC-${reference}`,
  amount: "12500.00",
  currency: "KES",
  phone: "0712 *** 678",
  transactionId: "TKQ7H3XW2P",
  paidAt: "2026-11-23T09:41:00.000Z",
});

/** A day with everything that books can show. */
const DAY: DayReport = {
  day: "2026-11-23",
  timeZone: "Africa/Nairobi",
  from: "2026-11-22T21:00:00.000Z",
  to: "2026-11-23T21:00:00.000Z",
  isComplete: true,
  shop: "Duka la Amina",
  received: [{ currency: "KES", count: 317, amount: "511430.00" }],
  agrees: [{ currency: "KES", count: 312, amount: "486200.00" }],
  parts: [],
  accepted: [{ currency: "KES", count: 1, amount: "200.00" }],
  refunded: [{ currency: "KES", count: 1, amount: "12500.00" }],
  payments: Array.from({ length: 30 }, (_, at) => payment(`PAY-${at}Q2M9X4KD1TB`, `ORDER-${at}`)),
  paidBack: [
    {
      ...{ orderId: "ORDER-2026-11-23-000043", accountReference: "ORDER-43" },
      ...{ amount: "500.00", currency: "KES", at: "2026-11-23T09:00:00.000Z" },
      ...{ reference: "RB1", by: "Amina", reason: "One seat less.", payments: [] },
    },
  ],
  refunds: [payment("PAY-9Q2M9X4KD1TB", "ORDER-2026-11-23-000043")],
  goodsDue: [
    {
      orderId: "ORDER-2026-11-23-000044",
      amount: "12500.00",
      currency: "KES",
      paidAt: "2026-11-23T09:00:00.000Z",
      tries: 12,
    },
  ],
  dismissed: [{ currency: "KES", count: 2, amount: "30.00" }],
  differences: [
    {
      kind: "no_order",
      message: "The service received this payment. It belongs to no order.",
      ...payment("PAY-7Q2M9X4KD1TB"),
    },
    {
      kind: "paid_twice",
      message: "The order was paid before. Pay this payment back.",
      ...payment("PAY-8Q2M9X4KD1TB", "ORDER-2026-11-23-000042"),
    },
  ],
  openReviews: [
    {
      id: "ORDER-7:late_payment:PAY-9",
      kind: "late_payment",
      orderId: "ORDER-7",
      references: ["PAY-9Q2M9X4KD1TB"],
      message: "The payment was completed after the order had expired.",
      createdAt: "2026-11-20T08:00:00.000Z",
      amount: "100.50",
      currency: "KES",
    },
  ],
  open: { underAnHour: 1, underADay: 3, underAWeek: 0, older: 12 },
  summary: "312 orders, KES 486,200.00, all at the service; 1 payment belongs to no order.",
};

test.skipIf(!hasChromium)("the books of a day fit and pass axe, wide and narrow", async () => {
  const page = await (await browser().newContext({ javaScriptEnabled: true })).newPage();
  await page.setContent(booksAsPage(DAY));
  await checkLook(page, "day-books");
  const text = await page.locator("main").innerText();
  for (const part of ["by the clock of Africa/Nairobi", "KES 486,200.00", "PAY-9Q2M9X4KD1TB"]) {
    expect(text).toContain(part);
  }
  expect(await page.locator("table").count()).toBe(7);
  const gaps = { parts: "main", limit: 72 };
  const shown = [{ name: "books", html: booksAsPage(DAY) }];
  for (const width of [1280, 768, 390, 320])
    await contactSheet(page, "books", shown, { width, columns: 1, gaps });
  const none = { differences: [], openReviews: [], goodsDue: [] };
  await page.setContent(booksAsPage({ ...DAY, ...none }));
  await checkLook(page, "day-books-all-clear");
});
