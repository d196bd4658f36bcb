import { memory } from "malipo";
import type { OrderChange } from "malipo/checkout";
import { otelCheckout } from "malipo/otel";
import { expect, test } from "vitest";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "../../checkout/stage.ts";
import { completed, deliver } from "../../suites/checkout-stage.ts";
import { recordingMeter } from "./recording-meter.ts";

test("each change of an order is one line, one span and one count, without a phone", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const { meter, measurements } = recordingMeter();
  const spans: unknown[] = [];
  const tracer = {
    startSpan: (name: string, options: object) => {
      spans.push({ name, ...options });
      return { end: () => {} };
    },
  } as never;
  const count = otelCheckout({ tracer, meter });
  const lines: string[] = [];
  const onChange = (change: OrderChange) => {
    lines.push(change.line);
    count(change);
  };
  const store = memory({ now: clock.now }).checkout();
  const { checkout, errors } = openShop(sandbox, store, { onChange });
  const { attempts } = await checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  clock.advance(10_000);
  await checkout.reconcile();
  expect(errors).toEqual([]);
  const attempt = (status: string) => `attempts: #1 ${status} ${attempts[0]?.reference}`;
  expect(lines).toEqual([
    "order ORDER-1 (created): open, 0.00 of 1500.00 KES, goods none",
    "order ORDER-1 (asked): pending, 0.00 of 1500.00 KES, goods none; attempts: #1 starting",
    `order ORDER-1 (accepted): pending, 0.00 of 1500.00 KES, goods none; ${attempt("pending")}`,
    `order ORDER-1 (reported): paid, 1500.00 of 1500.00 KES, goods due; ${attempt("completed")}`,
    `order ORDER-1 (effect_done): paid, 1500.00 of 1500.00 KES, goods done; ${attempt("completed")}`,
  ]);
  const counts = (name: string) =>
    measurements.filter((one) => one.name === `malipo.checkout.${name}`).length;
  expect(["changes", "paid", "effects", "reviews"].map(counts)).toEqual([5, 1, 1, 0]);
  expect(spans).toHaveLength(5);
  expect(JSON.stringify([spans, lines, measurements])).not.toMatch(/345678|0712/);
});

test("a refusal, a refund and the reason of a cancellation are counted, without words for staff", async () => {
  const sandbox = newSandbox();
  const { meter, measurements } = recordingMeter();
  const spans: { name: string; attributes: object }[] = [];
  const tracer = {
    startSpan: (name: string, options: { attributes: object }) => {
      spans.push({ name, ...options });
      return { end: () => {} };
    },
  } as never;
  const onChange = otelCheckout({ tracer, meter });
  const { checkout } = openShop(sandbox, memory().checkout(), {
    onChange,
    onPaid: (_, { refuse }) => refuse("STAFF: the seat is gone"),
  });
  const order = await checkout.create(ORDER);
  await deliver(checkout, sandbox, "payment.completed", completed(order, "PAY-1"));
  await checkout.reconcile();
  await checkout.refunds.add(ORDER.id, { amount: 500, by: "Amina", reason: "STAFF" });
  const [review] = await checkout.reviews.list();
  await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: "Amina" });
  await checkout.create({ id: "CASH", amount: 10 });
  await checkout.cancel("CASH", { reason: "paid_elsewhere" });
  const counts = (name: string) =>
    measurements.filter((one) => one.name === `malipo.checkout.${name}`).length;
  expect(["refused", "refunds", "effects"].map(counts)).toEqual([1, 2, 0]);
  expect(spans.at(-1)).toMatchObject({
    name: "checkout canceled",
    attributes: { "malipo.order.cancel_reason": "paid_elsewhere" },
  });
  expect(JSON.stringify([spans, measurements])).not.toMatch(/STAFF|Amina/);
});
