import { globSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

const MAX_FILES = 20;

test(`a folder of src holds at most ${MAX_FILES} files`, () => {
  const files = new Map<string, number>();
  for (const path of globSync("src/**/*.*")) {
    files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  }
  const tooFull = [...files].filter(([, count]) => count > MAX_FILES);
  expect(tooFull.map(([folder, count]) => `${folder} holds ${count} files`)).toEqual([]);
});
