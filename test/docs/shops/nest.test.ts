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
    // As the manual does. `npm test` checks the types by themselves, since here is no dist/*.d.ts.
    const options = ["--outDir", OUT, "--noCheck"];
    execFileSync(process.execPath, [tsc, "-p", "examples/nest", ...options]);
    return { args: [join(OUT, "main.js")] };
  },
  // Nest sends itself the signal again when everything is closed.
  { endsWith: "SIGTERM" },
);
