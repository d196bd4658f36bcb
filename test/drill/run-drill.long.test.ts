import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { allCases, type DrillCase } from "../../src/drill/cases.ts";
import { exitStatus, formatResults, promiseResults } from "../../src/drill/drill-results.ts";
import type { RawSettings } from "../../src/drill/drill-settings.ts";
import {
  BROKEN_SHOPS,
  type BrokenShop,
  breakShop,
  INBOX_SHOP,
  SLOW_SHOP,
} from "./shops/broken-shops.ts";
import {
  ALL_ROUTES,
  brokenPromises,
  drillBroken,
  drillShop,
  node,
  oneForEach,
  shopFolder,
} from "./shops/drill-shop.ts";

const RIGHT = readFileSync("test/drill/shops/right-shop.ts", "utf8");
const shops = shopFolder();
afterAll(() => shops.remove());
const RIGHT_SHOP = shops.write("right", RIGHT);

const drill = (start: string, cases: readonly number[], raw: RawSettings = {}) =>
  drillShop({ start, quiet: "5s", ...raw }, cases);

const isAway = ({ faults }: DrillCase) => faults.some(({ kind }) => kind === "away");
/** The promise that a shop breaks, and with which acts of people or in which group of cases. */
function whatItShows({ breaks, cases: [first] }: BrokenShop): string {
  const found = allCases().find(({ number }) => number === first);
  const [family] = /^[a-z]+/.exec(found?.act ?? "") ?? [found?.group];
  return `${breaks} ${family}`;
}
const numbersOf = (cases: readonly DrillCase[]) => cases.map(({ number }) => number);
const isWhole = process.env.DRILL === "all";
/**
 * All of them with `DRILL=all`, otherwise one for each promise and each group of cases, or family of acts, that shows it
 * broken.
 */
const BROKEN = isWhole ? BROKEN_SHOPS : oneForEach(BROKEN_SHOPS, whatItShows);
const SHOWN = new Set(BROKEN_SHOPS.flatMap(({ cases }) => cases));
/**
 * All cases with `DRILL=all`, otherwise those that show what is wrong with the broken shops. The shop that the manual
 * prints is drilled with all cases.
 */
const CASES = numbersOf(
  allCases().filter((one) => (isWhole ? true : SHOWN.has(one.number) && !isAway(one))),
);
/** The cases of what not every shop has. */
const OF_ROUTES = new Set(
  numbersOf(
    allCases().filter(({ act = "" }) => /^(?:lastPiece|cancel|refund|update|part)/.test(act)),
  ),
);

describe.concurrent("a drill", () => {
  test.for([
    ["JavaScript", RIGHT_SHOP, ALL_ROUTES],
    ["Python", "python3 test/drill/shops/shop.py", undefined],
    ["Perl", "perl test/drill/shops/shop.pl", undefined],
  ] as const)("finds nothing wrong with a right shop in %s", async ([, start, routes]) => {
    const sold = CASES.filter((number) => !OF_ROUTES.has(number));
    // What differs between the languages is not in each case.
    const cases = routes ? CASES : sold.filter((_, at) => isWhole || at % 3 === 0);
    const result = await drill(start, cases, { processes: "2", ...routes });
    const found = [exitStatus(result), brokenPromises(result), result.obstacles];
    expect(found, formatResults(result)).toEqual([0, [], []]);
    // One whose prompt expired while the machine was busy is not run.
    const run = result.results.filter((one) => one.skipped === undefined);
    expect(run.length).toBeGreaterThanOrEqual(cases.length * 0.95);
  });

  test("finds nothing wrong with a shop that handles webhooks after its 200", async () => {
    const people = allCases().filter(({ group }) => group === "people");
    const start = shops.write(INBOX_SHOP.name, breakShop(INBOX_SHOP));
    const result = await drill(start, numbersOf(people));
    expect([brokenPromises(result), result.obstacles]).toEqual([[], []]);
  });

  test("finds nothing wrong with a shop that learns late of its prompt, when a part is paid by hand", async () => {
    const parts = allCases().filter(({ act = "" }) => act.startsWith("part"));
    const start = shops.write(SLOW_SHOP.name, breakShop(SLOW_SHOP));
    const result = await drill(start, numbersOf(parts), { processes: "2", ...ALL_ROUTES });
    expect([brokenPromises(result), result.obstacles], formatResults(result)).toEqual([[], []]);
  });

  test.for(BROKEN)("finds $name by the promise that it breaks, and by no other", async (shop) => {
    const result = await drillBroken(shops, shop);
    const broken = brokenPromises(result);
    const expected = [1, expect.arrayContaining([shop.breaks])];
    expect([exitStatus(result), broken], formatResults(result)).toEqual(expected);
    const found = promiseResults(result).find(({ name }) => name === shop.breaks);
    expect(found?.stories.flat().join("\n")).toContain(shop.cause ?? "Usual cause: ");
    const { follows = [] } = shop;
    const other = broken.filter((one) => one !== shop.breaks && !follows.includes(one));
    expect(other, formatResults(result)).toEqual([]);
    const [story = []] = promiseResults(result).flatMap(({ stories }) => stories);
    expect(story.length).toBeLessThanOrEqual(12);
    expect(story.at(-1)).toMatch(/again: npx malipo drill --case \d+/);
  });

  test("counts the same cases in its progress and in its result, and says what it waits for", async () => {
    const shown: (readonly [done: number, total: number])[] = [];
    const quiet = { dryRun: () => {}, output: () => {} };
    const waits = new Set<string>();
    let waitsFor = () => "";
    const listener = {
      ...quiet,
      progress: (done: number, total: number, now: () => string) => {
        shown.push([done, total]);
        waitsFor = now;
      },
    };
    const look = setInterval(() => waits.add(waitsFor()), 20);
    const slow = allCases().find(({ faults }) => faults[0]?.kind === "slow")?.number ?? 0;
    const numbers = [1, 2, 41, 42, 191, 213, 309, slow];
    const { results } = await drillShop({ start: RIGHT_SHOP, quiet: "5s" }, numbers, { listener });
    clearInterval(look);
    expect(results).toHaveLength(8);
    expect(shown.at(-1)).toEqual([8, 8]);
    const said = [...waits].join("\n");
    expect(said).toContain("(the service takes 3 s)");
    expect(said).toContain("the shop after its restart, at most 3 s");
  });

  test.for([
    ["a request and a webhook", [41, 146], "1"],
    ["what people do", [289, 293, 299], "1"],
    ["two processes", [309, 311], "2"],
    ["two faults at once", [322, 326], "1"],
  ] as const)("that forgets its faults fails: %s", async ([, numbers, processes]) => {
    const raw = { start: RIGHT_SHOP, quiet: "5s", processes };
    const result = await drillShop(raw, numbers, { faults: false });
    expect(exitStatus(result)).toBe(2);
    const message = `${numbers.length} planned faults never happened`;
    expect(result.obstacles.join()).toContain(message);
  });

  test("of a shop that rejects orders says what it answered, and counts none of them as passed", async () => {
    const added = "    const result = add(";
    // Few: on a slow machine, a second shop takes the cases that the first one could not decide.
    const refuse = `    if (rows("1 = 1").length >= 8 && rows("id = ?", order).length === 0) {
      response.writeHead(409).end("sold out");
      return;
    }\n`;
    const start = shops.write("sold-out", RIGHT.replace(added, refuse + added));
    const result = await drill(
      start,
      Array.from({ length: 24 }, (_, at) => at + 1),
      {
        workers: "1",
      },
    );
    expect([exitStatus(result), brokenPromises(result)]).toEqual([2, []]);
    expect(result.obstacles.join()).toMatch(
      /The shop rejected \d+ of 24 orders, the first one in case \d+: POST \/orders gave 409: "sold out"\..*"env" in malipo\.drill\.json/,
    );
    expect(result.obstacles.join()).not.toContain("planned faults never happened");
    const rejected = result.results.filter(({ skipped }) => skipped?.includes("rejected"));
    expect(rejected.length).toBeGreaterThan(2);
  });

  test("that loses the moment of its cases fails", async () => {
    // There is no success that a second webhook could contradict.
    const cases = allCases()
      .filter(({ faults }) => faults[0]?.kind === "conflict")
      .map((one) => ({ ...one, customer: "cancels" as const }));
    const result = await drillShop({ start: RIGHT_SHOP, quiet: "5s" }, undefined, { cases });
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join()).toContain("The machine is too busy for a drill.");
  });

  test("of shops that have one database says so, and blames none of them", async () => {
    // All shops of the drill use this folder, and not their own.
    const env = [`SHARED=${shops.folder}`];
    const start = shops.write(
      "one database",
      RIGHT.replace('const { DATA = "", PORT,', 'const { SHARED: DATA = "", PORT,'),
    );
    const numbers = numbersOf(allCases().filter(({ group }) => group === "people"));
    const result = await drillShop({ start, env, quiet: "5s", workers: "2" }, numbers);
    expect(brokenPromises(result)).toEqual([]);
    expect(result.obstacles.join()).toMatch(/have the same database.*--workers 1/);
    expect(exitStatus(result)).toBe(2);
  });

  test("that tests nothing fails", async () => {
    expect(exitStatus(await drill(RIGHT_SHOP, []))).toBe(2);
  });

  test.for([
    ["a shop that ends", "true", "ended before it was ready"],
    ["a shop that takes no orders", node("test/drill/shops/no-orders.ts"), "could not be placed"],
  ])("cannot test %s", async ([, start = "", why = ""]) => {
    const result = await drill(start, [41]);
    expect(exitStatus(result)).toBe(2);
    expect(result.obstacles.join()).toContain(why);
  });
});
