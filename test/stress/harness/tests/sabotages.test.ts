import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { orders } from "../../orders/subject.ts";
import { NEXT_VERSION, SABOTAGES, SHORTER } from "../../sabotages.ts";
import { runCampaign } from "../subject.ts";

const source = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../src/${file}`, import.meta.url)), "utf8");

const NAMED = Object.values(SABOTAGES).flatMap((rows) => Object.entries(rows));
const OTHERS = [...SHORTER, NEXT_VERSION].map((change) => [change.from, change] as const);

test.each([...NAMED, ...OTHERS])(
  "a change of the source finds what it changes: %s",
  (_, { file, from }) => {
    expect(source(file)).toContain(from);
  },
);

test("a sabotage of one store is not run on another one, where every promise holds", async () => {
  const sabotage = SABOTAGES.orders["the goods before the transaction"];
  const asked = { seed: "1", orders: 60, sabotage };
  expect(await runCampaign(orders, "postgres", asked)).toBeUndefined();
});
