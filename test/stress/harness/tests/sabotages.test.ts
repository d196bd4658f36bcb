import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { INBOX_SABOTAGES, NEXT_VERSION } from "../../inboxes/sabotages.ts";
import { ORDER_SABOTAGES, SHORTER } from "../../orders/sabotages.ts";
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
