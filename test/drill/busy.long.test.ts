// A busy machine is no fault of the shop: customers answer before their prompts expire, nothing is sent to a shop
// that is down, and a slow response is no wrong one.
import { spawn } from "node:child_process";
import { cpus } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exitStatus, formatReport } from "../../src/drill/drill-report.ts";
import { drillShop, node } from "./shops/drill-shop.ts";

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Kills and pauses, lost responses, forged webhooks and contradictions, and what people do. */
const CASES = [...range(6, 14), ...range(40, 60), ...range(196, 206), ...range(289, 305)];

let busy: ReturnType<typeof spawn>[] = [];
beforeAll(() => {
  busy = Array.from({ length: cpus().length * 2 }, () =>
    spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
  );
});
afterAll(() => {
  for (const one of busy) one.kill("SIGKILL");
});

test("a right shop passes on a busy machine, and no case loses its moment", {
  timeout: 600_000,
}, async () => {
  const start = node("test/drill/shops/right-shop.ts");
  const result = await drillShop({ start, quiet: "10s", workers: "3" }, CASES);
  expect(exitStatus(result), formatReport(result)).toBe(0);
  const skipped = result.results.filter((one) => one.skipped !== undefined);
  expect(skipped.length).toBeLessThanOrEqual(1);
});
