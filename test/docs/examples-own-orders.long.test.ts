// Shops that had their table `orders` before: the real libraries, and the drill on each.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { exitStatus, formatResults, summarize } from "../../src/drill/drill-results.ts";
import { parseSettings, readDrillFile } from "../../src/drill/drill-settings.ts";
import { runDrill } from "../../src/drill/run-drill.ts";
import { someCases, someCasesOfLibraries } from "../drill/shops/drill-shop.ts";
import { sharedMysql, sharedPostgres } from "../support/engines/shared.ts";
import { installedVersion, shopRows } from "../support/shop-rows.ts";
import { startShop } from "./support/shop-process.ts";

const LIBRARIES = ["prisma", "typeorm", "pg"] as const;
type Library = (typeof LIBRARIES)[number];
const PACKAGES: Readonly<Record<Library, readonly [folder: string, name: string]>> = {
  prisma: ["prisma", "@prisma/client"],
  typeorm: [process.cwd(), "typeorm"],
  pg: [process.cwd(), "pg"],
};
// A database each. In one that a person gives, two shops would see the orders of each other.
const engines = {
  prisma: await sharedMysql(),
  typeorm: await sharedPostgres(),
  pg: await sharedPostgres(),
};
const concurrent = engines.typeorm?.url !== engines.pg?.url;

// Below this project, where its packages are found.
mkdirSync("test/docs/bundles", { recursive: true });
const folder = mkdtempSync(join("test/docs/bundles", "own-orders-"));
cpSync("examples/own-orders", folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COLUMNS = `(id VARCHAR(64) PRIMARY KEY, product VARCHAR(64) NOT NULL, cents INT NOT NULL,
  state VARCHAR(16) NOT NULL DEFAULT 'new'`;
// A second parcel of an order fails.
const PARCELS = "CREATE TABLE parcels (order_id VARCHAR(64) PRIMARY KEY)";

async function migratePostgres(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("DROP TABLE IF EXISTS orders, parcels");
  await client.query(`CREATE TABLE orders ${COLUMNS}, paid_at TIMESTAMPTZ)`);
  await client.query(PARCELS);
  await client.end();
}

/** The tables that the shop has had. */
const MIGRATE: Readonly<Record<Library, (url: string) => Promise<void>>> = {
  prisma: async (url) => {
    const connection = await mysql.createConnection(url);
    await connection.query("DROP TABLE IF EXISTS orders, parcels");
    await connection.query(`CREATE TABLE orders ${COLUMNS}, paid_at DATETIME(3))`);
    await connection.query(PARCELS);
    await connection.end();
  },
  typeorm: migratePostgres,
  pg: migratePostgres,
};

function run(command: string, ...args: string[]): void {
  const cwd = join(folder, "prisma");
  // `generate` needs no program that Prisma would download.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
}

/** Orders by a phone that no one can ask, and changes the price. Resolves with what the checkout asks for then. */
async function changeBeforePay(library: Library, url: string): Promise<string> {
  const PORT = `${await freePort()}`;
  const MALIPO = { MALIPO_BASE_URL: "http://127.0.0.1:9", MALIPO_API_KEY: "sb_net_x" };
  const shop = await startShop(
    { args: ["shop.ts"], folder: resolve(folder, library) },
    { PORT, DATABASE_URL: url, ...MALIPO, MALIPO_WEBHOOK_SECRET: "whsec_x" },
  );
  const call = (method: string, path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const options = { method, headers, body: JSON.stringify(body) };
    return fetch(`http://127.0.0.1:${PORT}/orders${path}`, options);
  };
  const order = `early-${library.padStart(8, "-")}`;
  await call("POST", "", { order, product: "beans", phone: "none" });
  expect((await call("PUT", `/${order}`, { amount: 1000 })).status).toBe(200);
  const shown = await fetch(`http://127.0.0.1:${PORT}/orders/${order}`);
  const { amount, order: row } = (await shown.json()) as {
    readonly amount?: string;
    readonly order: { readonly cents: number };
  };
  expect(row.cents, shop.printed()).toBe(100_000);
  await shop.end("SIGKILL");
  return `${amount}`;
}

/** What a merchant types. TypeORM and `pg` are packages of this project. */
beforeAll(() => {
  if (engines.prisma === undefined) return;
  run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  symlinkSync(process.cwd(), join(folder, "prisma/node_modules/malipo"));
  run("npm", "run", "generate");
  run(join(process.cwd(), "node_modules/.bin/tsc"), "-p", "..");
});

describe.each(LIBRARIES)("a shop with its own orders, by %s", { concurrent }, (library) => {
  const engine = engines[library];
  const [of, name] = PACKAGES[library];
  const note = shopRows(() => `Own orders, ${name} ${installedVersion(resolve(folder, of), name)}`);

  test("has at most 25 lines that know of payments", () => {
    const lines = (file: string) =>
      readFileSync(join("examples/own-orders", library, file), "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "" && !line.startsWith("//"));
    const shop = lines("shop.ts").filter((line) => /checkout|malipo/.test(line));
    expect(lines("payments.ts").length + shop.length).toBeLessThanOrEqual(25);
  });

  test.skipIf(engine === undefined)(
    "has the new price of an order that was never paid, and keeps each promise of the drill",
    async () => {
      const url = engine?.url ?? "";
      await MIGRATE[library](url);
      expect(await changeBeforePay(library, url)).toBe("1000.00");
      const file = readDrillFile(readFileSync(join(folder, "malipo.drill.json"), "utf8"));
      const start = `cd "${resolve(folder, library)}" && exec "${process.execPath}" shop.ts`;
      const settings = parseSettings({ ...file, start, env: [`DATABASE_URL=${url}`] });
      const listener = { dryRun: () => {}, progress: () => {}, output: () => {} };
      const cases = library === "pg" ? someCases() : someCasesOfLibraries();
      const result = await runDrill(settings, { cases, listener });
      expect([exitStatus(result), result.obstacles], formatResults(result)).toEqual([0, []]);
      expect(result.results.length).toBeGreaterThan(30);
      note(summarize(result));
    },
  );
});
