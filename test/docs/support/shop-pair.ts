// A shop of an example that runs as two processes, on one PostgreSQL, against a served sandbox.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway, type Payment } from "malipo";
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { createSandbox } from "malipo/sandbox";
import pg from "pg";
import { freePort } from "../../../src/drill/child.ts";
import { latencyIsUsed } from "../../suites/shop-stage.ts";
import { type ShopProcess, type ShopProgram, startShop } from "./shop-process.ts";

/** @throws {Error} with what it printed, if it fails. */
export function run(
  cwd: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): void {
  const options = { cwd, encoding: "utf8", env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
}

/** Does what a merchant types. Returns the folder, below this project, where the package is found. */
export function installShop(example: string, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync("test/docs/bundles", { recursive: true });
  const folder = mkdtempSync(join(process.cwd(), "test/docs/bundles", `${example}-`));
  cpSync(join("examples", example), folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist|\.medusa/.test(path),
  });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  run(folder, "npm", ["ci", ...quiet]);
  symlinkSync(process.cwd(), join(folder, "node_modules/malipo"));
  run(folder, "npm", ["run", "build"]);
  return folder;
}

/** How many of a database wait for a lock. */
const WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/** Holds a row, so that others wait for it. @param query - Finds it. */
async function holdRow(databaseUrl: string, query: string, id: string) {
  // A transaction sees the same activity until it ends, so another connection looks.
  const [holder, looker] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all([holder.connect(), looker.connect()]);
  await holder.query("BEGIN");
  await holder.query(`${query} FOR NO KEY UPDATE`, [id]);
  return {
    untilWaiting: async (expected: number) => {
      for (let seen = 0; seen < expected; ) {
        seen = (await looker.query<{ count: number }>(WAITING)).rows[0]?.count ?? 0;
        await sleep(20);
      }
    },
    release: async () => {
      await holder.query("COMMIT");
      await Promise.all([holder.end(), looker.end()]);
    },
  };
}

/** The two processes, which do not run yet. The first one gets the webhooks. */
export async function openShopPair(program: ShopProgram, databaseUrl: string) {
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  const gateway = { apiKey: sandbox.keys.secret, baseUrl: service.baseUrl };
  const { payments, webhooks } = new Gateway(gateway);
  const ports = [await freePort(), await freePort()] as const;
  const events = ["payment.initiated", "payment.completed", "payment.failed"];
  await webhooks.register({ name: "shop", url: `http://127.0.0.1:${ports[0]}/webhooks`, events });
  const env = {
    ...{ DATABASE_URL: databaseUrl, COOKIE_SECRET: "of the tests", JWT_SECRET: "of the tests" },
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  const shops: ShopProcess[] = [];
  const start = async (at: 0 | 1) => {
    shops[at] = await startShop(program, { ...env, PORT: `${ports[at]}` });
  };
  let turn = 0;
  const engine = postgres(databaseUrl);
  // It never starts: only the shop gives goods.
  const onPaid = () => Promise.reject(new Error("The office gives no goods."));
  const office = createCheckout({ store: engine, gateway, secret: sandbox.webhookSecret, onPaid });
  return {
    ...{ env, sandbox, start },
    /** What the checkout has stored, for staff. */
    office,
    /** The address of a process. They take turns. */
    urlOf: () => `http://127.0.0.1:${ports[turn++ % shops.length]}`,
    /** The payments of an order, by the service's own list. */
    payments: async (id: string): Promise<Payment[]> => {
      const label = (await office.get(id))?.accountReference;
      const { items } = await payments.list();
      return items.filter(({ account_reference }) => account_reference === label);
    },
    holdRow: (query: string, id: string) => holdRow(databaseUrl, query, id),
    /** Kills both processes when the phone asks, and the shop has not got the response. */
    killWhileAsking: async (phone: string, ask: () => Promise<unknown>) => {
      const slow = { kind: "latency", ms: 3_000 } as const;
      sandbox.faults.add({ match: { endpoint: "mobileMoney.initiate" }, effect: slow });
      const asking = ask().catch(() => {});
      await latencyIsUsed(sandbox);
      for (const shop of shops) shop.signal("SIGSTOP");
      while (sandbox.phone(phone).prompt === undefined) await sleep(20);
      await Promise.all(shops.map((shop) => shop.end("SIGKILL")));
      await asking;
    },
    end: (signal: NodeJS.Signals) => Promise.all(shops.map((shop) => shop.end(signal))),
    restart: () => Promise.all([start(0), start(1)]),
    /** @param folder - Is removed. */
    close: async (folder: string) => {
      await office.stop();
      await engine.close();
      for (const shop of shops) await shop.end("SIGKILL");
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
