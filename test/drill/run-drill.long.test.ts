import { afterAll, describe, expect, test } from "vitest";
import { exitStatus, formatReport, reportPromises } from "../../src/drill/drill-report.ts";
import { BROKEN_SHOPS } from "./shops/broken-shops.ts";
import { brokenPromises, drillBroken, drillShop, node, shopFolder } from "./shops/drill-shop.ts";

const shops = shopFolder();
afterAll(() => shops.remove());

const drill = (start: string, cases: readonly number[], options = {}) =>
  drillShop({ start, quiet: "5s" }, cases, options);

const SHOWN = [...new Set(BROKEN_SHOPS.flatMap(({ cases }) => cases))];

describe.concurrent("a drill", () => {
  test.for([
    ["TypeScript", node("test/drill/shops/right-shop.ts")],
    ["Python", "python3 test/drill/shops/shop.py"],
    ["Perl", "perl test/drill/shops/shop.pl"],
  ])(
    "finds nothing wrong with a right shop in %s",
    { timeout: 300_000 },
    async ([, start = ""]) => {
      const result = await drill(start, SHOWN);
      expect([exitStatus(result), brokenPromises(result), result.obstacles]).toEqual([0, [], []]);
      // Those of two processes are not run, nor one whose prompt expired while the machine was busy.
      const run = result.results.filter((one) => one.skipped === undefined);
      expect(run.length).toBeGreaterThan(SHOWN.length - 4);
    },
  );

  test.for(BROKEN_SHOPS)(
    "finds $name by the promise that it breaks, and by no other",
    { timeout: 300_000 },
    async (shop) => {
      const result = await drillBroken(shops, shop);
      const broken = brokenPromises(result);
      expect([exitStatus(result), broken]).toEqual([1, expect.arrayContaining([shop.breaks])]);
      const { follows = [] } = shop;
      const other = broken.filter((one) => one !== shop.breaks && !follows.includes(one));
      expect(other, formatReport(result)).toEqual([]);
      const [story = []] = reportPromises(result).flatMap(({ stories }) => stories);
      expect(story.length).toBeLessThanOrEqual(12);
      expect(story.at(-1)).toMatch(/again: npx malipo drill --case \d+/);
    },
  );

  test("counts the same cases in its progress and in its result", {
    timeout: 120_000,
  }, async () => {
    const shown: (readonly [done: number, total: number])[] = [];
    const quiet = { dryRun: () => {}, output: () => {} };
    const listener = { ...quiet, progress: (...counts: [number, number]) => shown.push(counts) };
    const start = node("test/drill/shops/right-shop.ts");
    const { results } = await drill(start, [1, 2, 41, 42, 191, 213, 309], { listener });
    expect(results).toHaveLength(7);
    expect(shown.at(-1)).toEqual([7, 7]);
  });

  test("that forgets its faults fails", { timeout: 60_000 }, async () => {
    const start = node("test/drill/shops/right-shop.ts");
    const result = await drill(start, [41, 146], { faults: false });
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join()).toContain("2 planned faults never happened");
  });

  test("that tests nothing fails", { timeout: 60_000 }, async () => {
    const start = node("test/drill/shops/right-shop.ts");
    expect(exitStatus(await drill(start, []))).toBe(2);
  });

  test.for([
    ["a shop that ends", "true", "ended before it was ready"],
    ["a shop that takes no orders", node("test/drill/shops/no-orders.ts"), "could not be placed"],
  ])("cannot test %s", { timeout: 60_000 }, async ([, start = "", why = ""]) => {
    const result = await drill(start, [41]);
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join()).toContain(why);
  });
});
