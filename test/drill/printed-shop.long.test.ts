// The shop that the manual prints for the checkout, drilled as the manual says.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import { drillShop } from "./shops/drill-shop.ts";
import { printedShop } from "./shops/example-shops.ts";

// Below this project, where its packages are found.
mkdirSync("test/docs/bundles", { recursive: true });
const folder = mkdtempSync(join("test/docs/bundles", "printed-shop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a whole drill of the printed shop with the printed settings finds nothing wrong", async () => {
  const result = await drillShop(printedShop(folder));
  expect(exitStatus(result), formatResults(result)).toBe(0);
});
