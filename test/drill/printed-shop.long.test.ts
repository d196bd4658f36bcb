// The shops of the first and of the third door of the manual, drilled as it says.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import { type RawSettings, readDrillFile } from "../../src/drill/drill-settings.ts";
import { brokenPromises, drillShop, someCases } from "./shops/drill-shop.ts";
import { printedShop } from "./shops/example-shops.ts";

// Below this project, where its packages are found.
mkdirSync("test/docs/bundles", { recursive: true });
const folder = mkdtempSync(join("test/docs/bundles", "printed-shop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.concurrent("a whole drill of the printed shop with the printed settings finds nothing wrong", async () => {
  const result = await drillShop(printedShop(folder));
  expect(exitStatus(result), formatResults(result)).toBe(0);
});

/** The shop with only the client, with a line replaced, as `malipo.drill.json` describes it. */
function clientOnly(name: string, right = "", other = ""): RawSettings {
  const home = join(folder, name);
  cpSync("examples/charge-once", home, { recursive: true });
  const program = join(home, "shop.mts");
  const code = readFileSync(program, "utf8");
  expect(code).toContain(right);
  writeFileSync(program, code.replace(right, other));
  const settings = readDrillFile(readFileSync(join(home, "malipo.drill.json"), "utf8"));
  return { ...settings, start: `cd "${resolve(home)}" && exec "${process.execPath}" shop.mts` };
}

test.concurrent("some cases of each kind find nothing wrong with the shop that has only the client", async () => {
  const numbers = someCases().map(({ number }) => number);
  const result = await drillShop(clientOnly("right"), numbers);
  expect(exitStatus(result), formatResults(result)).toBe(0);
  expect(result.results.length).toBeGreaterThan(30);
});

test.concurrent("a shop with only the client that does not look for lost webhooks leaves orders open", async () => {
  const timer = "setInterval(() => reconcile().catch(console.error), 10_000);";
  const settings = { ...clientOnly("blind", timer, "void reconcile;"), quiet: "5s" };
  const lost = allCases().filter(
    ({ faults: [fault] }) => fault?.kind === "never" && fault.subject === "final",
  );
  const numbers = lost.map(({ number }) => number);
  expect(brokenPromises(await drillShop(settings, numbers))).toContain("every order ends");
});
