import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SETUP_FILES = ["test/support/processor-time.ts"];

test("no file that tests share has a hook at its top: it would run for the first file of a process alone", () => {
  const shared = globSync("test/**/*.ts", {
    exclude: ["**/node_modules", "**/*.test.ts", "**/*.shop.ts"],
  });
  expect(shared).toContain("test/checkout/stage.ts");
  const hooks = shared.filter((file) =>
    /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(file, "utf8")),
  );
  expect(hooks).toEqual(SETUP_FILES);
});
