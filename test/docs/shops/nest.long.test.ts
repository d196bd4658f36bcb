import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { describeShop } from "../../suites/shop.ts";

const OUT = "test/docs/bundles/nest-shop";
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");

afterAll(() => rmSync(OUT, { recursive: true, force: true }));

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
