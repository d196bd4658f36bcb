// The shops of the first and of the third door of the manual, drilled as it says.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import { readDrillFile } from "../../src/drill/drill-settings.ts";
import { brokenPromises, drillShop, someCases } from "./shops/drill-shop.ts";
import { printedShop } from "./shops/example-shops.ts";

// Below this project, where its packages are found.
mkdirSync("test/docs/bundles", { recursive: true });
const folder = mkdtempSync(join("test/docs/bundles", "printed-shop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a whole drill of the printed shop with the printed settings finds nothing wrong", async () => {
  const result = await drillShop(printedShop(folder));
  expect(exitStatus(result), formatResults(result)).toBe(0);
});

/** The shop with only the client, with some lines replaced, as `malipo.drill.json` describes it. */
function clientOnly(
  name: string,
  ...changes: readonly (readonly [right: string, other: string])[]
) {
  const home = join(folder, name);
  cpSync("examples/charge-once", home, { recursive: true });
  const program = join(home, "shop.mts");
  let code = readFileSync(program, "utf8");
  for (const [right, other] of changes) {
    expect(code.split(right)).toHaveLength(2);
    code = code.replace(right, () => other);
  }
  writeFileSync(program, code);
  const settings = readDrillFile(readFileSync(join(home, "malipo.drill.json"), "utf8"));
  const start = `cd "${resolve(home)}" && exec "${process.execPath}" shop.mts`;
  const numbers = someCases().map(({ number }) => number);
  return drillShop({ ...settings, start }, numbers);
}

describe.concurrent("the shop with only the client", () => {
  test("keeps each promise of the drill", async ({ expect }) => {
    const result = await clientOnly("right");
    expect(exitStatus(result), formatResults(result)).toBe(0);
    expect(result.results.length).toBeGreaterThan(30);
  });

  test("without its look for what was lost leaves orders open", async ({ expect }) => {
    const timer = "setInterval(() => reconcile().catch(console.error), 10_000);";
    const result = await clientOnly("blind", [timer, "void reconcile;"]);
    expect(brokenPromises(result)).toContain("every order ends");
  });
});
