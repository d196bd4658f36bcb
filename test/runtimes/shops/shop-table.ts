import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { ShopRow } from "../../support/shop-rows.ts";

/** The rows that the tests of a file have noted, with what failed. */
function rowsOf(module: TestModule): ShopRow[] {
  const file = relative(".", module.moduleId);
  const parts = [...module.children.allSuites(), module].flatMap((part) =>
    part.errors().map(({ message }) => ({
      ...{ shop: file, said: `FAILED: ${message}` },
      done: part.type === "suite" ? part.name : "loads the file",
    })),
  );
  const tests = [...module.children.allTests()].flatMap((test) => {
    const { shopRows: rows = [] } = test.meta();
    const { state, errors } = test.result();
    if (state !== "failed") return rows;
    const shop = rows[0]?.shop ?? file;
    return [...rows, { shop, done: test.name, said: `FAILED: ${errors[0]?.message}` }];
  });
  return [...parts, ...tests];
}

/** Prints what was done in each shop, and what its own API said then. */
export const shopTable: Reporter = {
  onTestRunEnd(modules) {
    const head = { shop: "SHOP", done: "WHAT WAS DONE", said: "WHAT ITS OWN API SAID" };
    const rows = [head, ...modules.flatMap(rowsOf)];
    const width = (column: "shop" | "done") => Math.max(...rows.map((row) => row[column].length));
    const [shops, acts] = [width("shop"), width("done")];
    for (const { shop, done, said } of rows) {
      const line = said.replace(/\s+/g, " ");
      console.log(`${shop.padEnd(shops)}  ${done.padEnd(acts)}  ${line}`);
    }
  },
};
