import { rmSync } from "node:fs";
import { build } from "esbuild";
import { afterAll } from "vitest";
import { describeShop } from "../../suites/shop.ts";

const FILE = "test/docs/bundles/next-shop.mjs";

afterAll(() => rmSync(FILE, { force: true }));

describeShop(
  "Next.js, by the shape of its files",
  async () => {
    await build({
      entryPoints: ["test/docs/support/serve-next.ts"],
      ...{ bundle: true, packages: "external", platform: "node", format: "esm", outfile: FILE },
      tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
    });
    return { args: [FILE] };
  },
  // Next ends the process itself.
  { endsWith: "SIGTERM" },
);
