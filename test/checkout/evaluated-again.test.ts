import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Checkout } from "malipo/checkout";
import type { Sandbox } from "malipo/sandbox";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { completed, deliver, referenceOf } from "../suites/checkout-stage.ts";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, ORDER, openShop } from "./stage.ts";

let file: string;
let sandbox: Sandbox;
let given: string[];
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-again-"));
  atEnd(() => rmSync(folder, { recursive: true }));
  file = join(folder, "shop.db");
  sandbox = newSandbox();
  given = [];
  vi.stubEnv("NODE_ENV", "development");
  info.mockReset().mockImplementation(() => {});
});
const info = vi.spyOn(console, "info");
afterEach(() => vi.unstubAllEnvs());
afterAll(() => info.mockRestore());

/** What a module of a shop does each time it is evaluated. */
const evaluate = (version: string): Checkout =>
  openShop(sandbox, sqliteCheckout(file), {
    onPaid: ({ id }) => void given.push(`${version} ${id}`),
    onError() {},
  }).checkout;

async function paidBy(checkout: Checkout): Promise<void> {
  const order = await checkout.get(ORDER.id);
  if (order === undefined) throw new Error("The order is missing.");
  await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
}

describe("in development, a checkout whose module is evaluated again", () => {
  test("gives all goods from its start on, and says so once", async () => {
    const old = evaluate("old");
    await old.start();
    await old.pay(ORDER);
    const edited = evaluate("new");
    await edited.start();
    await paidBy(edited);
    await expect.poll(() => given).toEqual(["new ORDER-1"]);
    expect(info).toHaveBeenCalledTimes(1);
    expect(info).toHaveBeenCalledWith(expect.stringMatching(/loaded your code again/));
  });

  test.each([
    ["when it asks a customer", (edited: Checkout) => edited.pay({ ...ORDER, id: "ORDER-2" })],
    ["at its first delivery", () => undefined],
  ])("takes over %s, since Next starts only the first one", async (_, first) => {
    const old = evaluate("old");
    await old.start();
    await old.pay(ORDER);
    const edited = evaluate("new");
    await first(edited);
    await paidBy(edited);
    await expect.poll(() => given).toEqual(["new ORDER-1"]);
    await edited.start(); // a framework that starts it after all
    expect(info).toHaveBeenCalledTimes(1);
  });

  test("leaves to the one before the calls of pages that were not loaded again", async () => {
    const old = evaluate("old");
    await old.start();
    await evaluate("new").start();
    await old.pay(ORDER);
    await paidBy(old);
    await expect.poll(() => given).toEqual(["new ORDER-1"]);
    expect(await old.get(ORDER.id)).toMatchObject({ status: "paid" });
  });
});

test("in production, each checkout of a file goes on", async () => {
  vi.stubEnv("NODE_ENV", "production");
  const first = evaluate("first");
  await first.start();
  await first.pay(ORDER);
  const second = evaluate("second");
  await second.start();
  await second.stop();
  await paidBy(first);
  await expect.poll(() => given).toEqual(["first ORDER-1"]);
  expect(info).not.toHaveBeenCalled();
});
