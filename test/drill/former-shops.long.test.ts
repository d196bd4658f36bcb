import { describe, expect, test } from "vitest";
import { allCases, type DrillCase } from "../../src/drill/cases.ts";
import { formatResults } from "../../src/drill/drill-results.ts";
import { FORMER_SHOPS } from "./shops/broken-shops.ts";
import { brokenPromises, drillShop, node } from "./shops/drill-shop.ts";

const isAway = ({ faults }: DrillCase) => faults.some(({ kind }) => kind === "away");

/** With `DRILL=all` both shops with all cases; otherwise the one that shows all without waiting for a service. */
const isWhole = process.env.DRILL === "all";
const SHOPS = FORMER_SHOPS.filter((shop) => isWhole || !shop.isAway);

// Not beside the drills of the broken shops: more drills in one process make all of them slow.
describe.concurrent("a drill", () => {
  test.for(SHOPS)(
    "finds what is wrong with $file, and nothing else",
    async ({ file, breaks, follows, processes, groups }) => {
      const some = allCases().filter((one) => groups.includes(one.group) && !isAway(one));
      const cases = isWhole ? allCases() : some;
      const start = node(`test/drill/shops/${file}`);
      const raw = { start, quiet: "10s", processes, workers: "2" };
      const result = await drillShop(raw, undefined, { cases });
      const broken = brokenPromises(result);
      expect(broken, formatResults(result)).toEqual(expect.arrayContaining([...breaks]));
      const other = broken.filter((one) => !breaks.includes(one) && !follows.includes(one));
      expect(other, formatResults(result)).toEqual([]);
    },
  );
});
