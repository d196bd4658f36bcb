import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exitStatus, formatResults, summarize } from "../../../src/drill/drill-results.ts";
import { drillExample } from "../../drill/shops/example-shops.ts";
import { describeShop } from "../../suites/shop.ts";
import { installedVersion, shopRows } from "../../support/shop-rows.ts";
import { followPages, readShopCommands, shell } from "./page.ts";

interface Manual {
  /** What it stands on. */
  readonly framework: string;
  /** What is run before the shop. The page's own command for a first look is not for production. */
  readonly build: string;
  readonly args: readonly string[];
  readonly endsWith: number | NodeJS.Signals;
}

const SHOPS: Readonly<Record<string, Manual>> = {
  express: {
    framework: "express",
    build: "npx tsc",
    args: ["--env-file=.env", "server.ts"],
    endsWith: 0,
  },
  fastify: {
    framework: "fastify",
    build: "npx tsc",
    args: ["--env-file=.env", "server.ts"],
    endsWith: 0,
  },
  nest: {
    framework: "@nestjs/core",
    build: "npx tsc",
    args: ["--env-file=.env", "dist/main.js"],
    endsWith: "SIGTERM",
  },
  // Next ends the process itself, with the code of the signal.
  next: {
    framework: "next",
    build: "npx next build",
    args: ["node_modules/next/dist/bin/next", "start"],
    endsWith: 143,
  },
};

process.env.NEXT_TELEMETRY_DISABLED = "1";
const parent = mkdtempSync(join(tmpdir(), "malipo-manual-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** The folder of the shop on Next, when it is built. */
let next: string | undefined;

for (const [name, { framework, build, args, endsWith }] of Object.entries(SHOPS)) {
  describeShop(
    `${name}, as the manual says`,
    () => {
      const folder = followPages(readShopCommands(name), mkdtempSync(join(parent, `${name}-`)));
      shell(build, folder);
      if (name === "next") next = folder;
      return { args, folder, version: installedVersion(folder, framework) };
    },
    { endsWith, withLease: name === "express" },
  );
}

const note = shopRows(() => `next ${installedVersion(next ?? "", "next")}`);

// The example shops on the other frameworks are drilled as they are by `npm run bench -- drill`.
test("a drill of the shop on next, as it was built, finds nothing wrong", {
  timeout: 900_000,
}, async () => {
  const start = `cd "${next}" && exec "${process.execPath}" node_modules/next/dist/bin/next start`;
  const result = await drillExample(start);
  expect(exitStatus(result), formatResults(result)).toBe(0);
  expect(result.results.length).toBeGreaterThanOrEqual(200);
  note(summarize(result));
});
