import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeShop } from "../../suites/shop.ts";
import { followPage, readShopPage, shell } from "./page.ts";

interface Manual {
  /** What is run before the shop. The page's own command for a first look is not for production. */
  readonly build: string;
  readonly args: readonly string[];
  readonly endsWith: number | NodeJS.Signals;
}

const SHOPS: Readonly<Record<string, Manual>> = {
  express: { build: "npx tsc", args: ["--env-file=.env", "server.ts"], endsWith: 0 },
  fastify: { build: "npx tsc", args: ["--env-file=.env", "server.ts"], endsWith: 0 },
  nest: { build: "npx tsc", args: ["--env-file=.env", "dist/main.js"], endsWith: "SIGTERM" },
  // Next ends the process itself, with the code of the signal.
  next: {
    build: "npx next build",
    args: ["node_modules/next/dist/bin/next", "start"],
    endsWith: 143,
  },
};

process.env.NEXT_TELEMETRY_DISABLED = "1";
const parent = mkdtempSync(join(tmpdir(), "malipo-manual-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

for (const [name, { build, args, endsWith }] of Object.entries(SHOPS)) {
  describeShop(
    `${name}, as its page of the manual says`,
    () => {
      const folder = followPage(
        readShopPage(`docs/shops/${name}.md`),
        mkdtempSync(join(parent, `${name}-`)),
      );
      shell(build, folder);
      return { args, folder };
    },
    { endsWith },
  );
}
