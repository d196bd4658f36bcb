import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const OUT = "test/docs/bundles/shop-types";
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");

afterAll(() => rmSync(OUT, { recursive: true, force: true }));

/** The paths of our tsconfig, which lead to the sources. */
function sourcePaths(): Record<string, string[]> {
  const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions;
  return Object.fromEntries(
    Object.entries<string[]>(paths).map(([name, [path = ""]]) => [name, [resolve(path)]]),
  );
}

test.each(["express", "fastify", "nest", "next"])("the shop on %s compiles", (shop) => {
  const config = join(OUT, shop, "tsconfig.json");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve("examples", shop, "tsconfig.json"),
      compilerOptions: { noEmit: true, rootDir: resolve("."), paths: sourcePaths() },
      include: ["*.ts", "app/**/*.ts", "app/**/*.tsx"].map((files) =>
        resolve("examples", shop, files),
      ),
    }),
  );
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
  expect(stdout).toBe("");
});
