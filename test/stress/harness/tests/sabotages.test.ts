import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { NEXT_VERSION, SABOTAGES, SHORTER } from "../../sabotages.ts";

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
