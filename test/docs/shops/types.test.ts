import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const OUT = "test/docs/bundles/shop-types";
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");

afterAll(() => rmSync(OUT, { recursive: true, force: true }));

// `test/docs/docs.test.ts` compiles the other shops, with the code of the manual.
test("the shop on nest compiles against the declarations of dist", () => {
  const config = join(OUT, "tsconfig.json");
  mkdirSync(OUT, { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve("examples/nest/tsconfig.json"),
      compilerOptions: { noEmit: true, rootDir: resolve("."), paths: {} },
      include: [resolve("examples/nest/*.ts")],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  expect(stdout).toBe("");
});
