import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { describeShop } from "../../suites/shop.ts";

const OUT = "test/docs/bundles/nest-shop";
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");

afterAll(() => rmSync(OUT, { recursive: true, force: true }));

/** The paths of our tsconfig, which lead to the sources. */
function sourcePaths(): Record<string, string[]> {
  const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions;
  return Object.fromEntries(
    Object.entries<string[]>(paths).map(([name, [path = ""]]) => [name, [resolve(path)]]),
  );
}

test("the shop on Nest has types that compile", () => {
  const config = join(OUT, "types/tsconfig.json");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve("examples/nest/tsconfig.json"),
      compilerOptions: { noEmit: true, rootDir: resolve("."), paths: sourcePaths() },
      include: [resolve("examples/nest/*.ts")],
    }),
  );
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  expect(stdout).toBe("");
});

describeShop(
  "Nest",
  () => {
    // As the manual does. `--noCheck`, since the declarations of malipo may not be built here.
    execFileSync(process.execPath, [tsc, "-p", "examples/nest", "--outDir", OUT, "--noCheck"]);
    return { args: [join(OUT, "main.js")] };
  },
  // Nest sends itself the signal again when everything is closed.
  { endsWith: "SIGTERM" },
);
