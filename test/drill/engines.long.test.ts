import { afterAll, expect, test } from "vitest";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import type { Engine } from "../support/engines/engine.ts";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { ALL_ROUTES, drillShop, node } from "./shops/drill-shop.ts";

/** All cases on each engine with `DRILL=all`, otherwise some of them, and each engine with one of the shops. */
const isWhole = process.env.DRILL === "all";
const CASES = isWhole ? undefined : [11, 41, 198, 289, 311, 346, 349, 355, 358, 360, 362];
type OnEngine = readonly [name: string, start?: () => Promise<Engine | undefined>];
const REDIS: OnEngine = ["Redis", startRedis];
const POSTGRES: OnEngine = ["PostgreSQL", startPostgres];
const MARIADB: OnEngine = ["MariaDB", startMysql];

const started: Engine[] = [];
afterAll(() => Promise.all(started.map((engine) => engine.stop())));

test.concurrent.for([REDIS, POSTGRES, ...(isWhole ? [MARIADB] : [])])(
  "a right shop of two processes on %s passes",
  async ([name, start]) => {
    const engine = await start?.();
    if (engine === undefined) return;
    started.push(engine);
    const raw = {
      start: node("test/drill/shops/engine-shop.ts"),
      env: [`ENGINE=${engine.url}`, `RUN=run${Date.now()}`],
      ready: "GET /orders/none",
      // This shop starts its processes itself.
      without: "processes,stock,cancel,refund,update,parts",
      quiet: "20s",
      slow: "7s",
    };
    const result = await drillShop(raw, CASES);
    expect(exitStatus(result), `${name}\n${formatResults(result)}`).toBe(0);
  },
);

const SQLITE: OnEngine = ["SQLite"];

test.concurrent.for([SQLITE, ...(isWhole ? [POSTGRES] : []), MARIADB])(
  "a shop of two processes on the checkout passes with %s",
  async ([name, start]) => {
    const engine = await start?.();
    if (start !== undefined && engine === undefined) return;
    if (engine !== undefined) started.push(engine);
    const raw = {
      start: node("test/drill/shops/checkout-shop.ts"),
      env: [`ENGINE=${engine?.url ?? "sqlite"}`, `RUN=run${Date.now()}`],
      again:
        'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}","after":{attempts}}',
      ready: "GET /orders/none",
      processes: "2",
      quiet: "60s",
      slow: "7s",
      ...ALL_ROUTES,
      "last-piece": "",
    };
    const result = await drillShop(raw, CASES);
    expect(exitStatus(result), `${name}\n${formatResults(result)}`).toBe(0);
  },
);
