import { afterAll, expect, test } from "vitest";
import { exitStatus } from "../../src/drill/drill-results.ts";
import { BROKEN_SHOPS } from "./shops/broken-shops.ts";
import { drillBroken, shopFolder } from "./shops/drill-shop.ts";

const shops = shopFolder();
afterAll(() => shops.remove());

// In a file of its own: it keeps the process of all drills of this file busy.
test("a drill whose own process was busy says that this may be the cause", async () => {
  const broken = BROKEN_SHOPS.find(({ name }) => name === "a retry after a timeout");
  if (broken === undefined) expect.unreachable();
  const stop = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
  const busy = setInterval(stop, 1_500);
  const result = await drillBroken(shops, broken).finally(() => clearInterval(busy));
  expect(exitStatus(result)).toBe(1);
  expect(result.obstacles.join()).toMatch(/The machine was busy while the shop broke promises: in/);
});
