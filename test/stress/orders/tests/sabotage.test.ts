import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SABOTAGES } from "../sabotage.ts";

const source = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../src/checkout/${file}`, import.meta.url)), "utf8");

test.each(Object.entries(SABOTAGES))(
  "a change of the source finds what it changes: %s",
  (_, { file, from }) => {
    expect(source(file)).toContain(from);
  },
);
