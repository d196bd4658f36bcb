import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { INBOX_SABOTAGES, NEXT_VERSION } from "../../inboxes/sabotages.ts";
import { ORDER_SABOTAGES, SHORTER } from "../../orders/sabotages.ts";
import { orders } from "../../orders/subject.ts";
import { PROMPT_SABOTAGES } from "../../prompts/sabotages.ts";

const source = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../src/${file}`, import.meta.url)), "utf8");

const SABOTAGES = { ...PROMPT_SABOTAGES, ...ORDER_SABOTAGES, ...INBOX_SABOTAGES };
const OTHERS = [...SHORTER, NEXT_VERSION].map((change) => [change.from, change] as const);

test.each([...Object.entries(SABOTAGES), ...OTHERS])(
  "a change of the source finds what it changes: %s",
  (_, { file, from }) => {
    expect(source(file)).toContain(from);
  },
);

test("a sabotage of one store is not run on another one, where every promise holds", async () => {
  const sabotage = ORDER_SABOTAGES["the goods before the transaction"];
  const options = { seed: "1", orders: 60, sabotage, store: ["postgres"] } as const;
  expect(await orders.run("postgres", options)).toBeUndefined();
});
