import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { type DrillOptions, type DrillResult, runDrill } from "../../src/drill/drill.ts";
import { exitStatus, reportPromises } from "../../src/drill/report.ts";
import { parseSettings } from "../../src/drill/settings.ts";
import { BROKEN_SHOPS, breakShop } from "./shops/broken-shops.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-broken-shops-"));
mkdirSync(join(folder, "node_modules"));
symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silent = { dryRun: () => {}, progress: () => {}, output: () => {}, end: () => {} };

function drill(
  start: string,
  cases: readonly number[],
  options: Partial<DrillOptions> = {},
): Promise<DrillResult> {
  const settings = parseSettings({
    start,
    order: 'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}"}',
    status: "GET /orders/{order}",
    effects: "GET /orders/{order} /shipped",
    quiet: "5s",
    slow: "3s",
    workers: "1",
  });
  const chosen = allCases().filter(({ number }) => cases.includes(number));
  return runDrill(settings, { cases: chosen, listener: silent, ...options });
}

const node = (file: string) => `"${process.execPath}" ${file}`;
const broken = (result: DrillResult) =>
  reportPromises(result).flatMap(({ name, state }) => (state === "FAILED" ? [name] : []));

const SHOWN = [...new Set(BROKEN_SHOPS.flatMap(({ cases }) => cases))];

describe.concurrent("a drill", () => {
  test.for([
    ["TypeScript", node("test/drill/shops/right-shop.ts")],
    ["Python", "python3 test/drill/shops/shop.py"],
    ["Perl", "perl test/drill/shops/shop.pl"],
  ])(
    "finds nothing wrong with a right shop in %s",
    { timeout: 120_000 },
    async ([, start = ""]) => {
      const result = await drill(start, SHOWN);
      expect([exitStatus(result), broken(result), result.cannotJudge]).toEqual([0, [], []]);
      expect(result.results.length).toBeGreaterThan(SHOWN.length);
    },
  );

  test.for(BROKEN_SHOPS)(
    "finds $name by the promise that it breaks, and by no other",
    { timeout: 120_000 },
    async (shop) => {
      const file = join(folder, `${shop.name.replaceAll(" ", "-")}.mjs`);
      writeFileSync(file, stripTypeScriptTypes(breakShop(shop)));
      const result = await drill(node(file), shop.cases);
      expect([exitStatus(result), broken(result)]).toEqual([1, [shop.breaks]]);
      const [story = []] = reportPromises(result).flatMap(({ stories }) => stories);
      expect(story.length).toBeLessThanOrEqual(12);
      expect(story.at(-1)).toMatch(/again: npx malipo drill --case \d+/);
    },
  );

  test("that forgets its faults fails", { timeout: 60_000 }, async () => {
    const start = node("test/drill/shops/right-shop.ts");
    const result = await drill(start, [41, 146], { faults: false });
    expect(exitStatus(result)).toBe(2);
    expect(result.cannotJudge.join()).toContain("2 planned faults never happened");
  });

  test("that tests nothing fails", { timeout: 60_000 }, async () => {
    const start = node("test/drill/shops/right-shop.ts");
    expect(exitStatus(await drill(start, [], { only: 400 }))).toBe(2);
  });

  test.for([
    ["a shop that ends", "true", "ended before it was ready"],
    ["a shop that takes no orders", node("test/drill/shops/no-orders.ts"), "could not be placed"],
  ])("cannot judge %s", { timeout: 60_000 }, async ([, start = "", why = ""]) => {
    const result = await drill(start, [41]);
    expect(exitStatus(result)).toBe(2);
    expect(result.cannotJudge.join()).toContain(why);
  });
});
