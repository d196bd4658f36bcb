import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const OUT = "test/docs/bundles/shop-types";
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");

afterAll(() => rmSync(OUT, { recursive: true, force: true }));

test.each(["express", "fastify", "nest", "next"])(
  "the shop on %s compiles against the declarations of dist",
  (shop) => {
    const config = join(OUT, shop, "tsconfig.json");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(
      config,
      JSON.stringify({
        extends: resolve("examples", shop, "tsconfig.json"),
        compilerOptions: { noEmit: true, rootDir: resolve("."), paths: {} },
        include: ["*.ts", "app/**/*.ts", "app/**/*.tsx"].map((files) =>
          resolve("examples", shop, files),
        ),
      }),
    );
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" });
    expect(stdout).toBe("");
  },
);
