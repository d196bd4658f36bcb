import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHANGES, sourceWith } from "../../scripts/try-changes.ts";

const PAGE = readFileSync("docs/contributing/tests.md", "utf8");

test.each(CHANGES)("the change of $file can still be made, and is documented: $what", (change) => {
  expect(sourceWith(change)).toContain(change.to);
  const row = `| ${change.part} | \`${change.file}\`: ${change.what} | ${change.harm} | ${change.tests.map((path) => `\`${path}\``).join(", ")} |`;
  expect(PAGE).toContain(row);
  for (const path of change.tests) {
    expect(existsSync(path) || globSync(`${path}*.test.ts`).length > 0, path).toBe(true);
  }
});

test("two changes are made in each part", () => {
  const counts = new Map<string, number>();
  for (const { part } of CHANGES) counts.set(part, (counts.get(part) ?? 0) + 1);
  expect([...counts.values()]).toEqual([2, 2, 2, 2, 2]);
});
