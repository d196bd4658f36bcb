import { afterAll, expect, test } from "vitest";
import { exitStatus, formatResults } from "../../src/drill/drill-results.ts";
import type { Engine } from "../support/engines/engine.ts";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { ALL_ROUTES, drillShop, node } from "./shops/drill-shop.ts";

/** All cases with `DRILL=all`, otherwise some of them. */
const CASES =
  process.env.DRILL === "all" ? undefined : [11, 41, 198, 289, 311, 346, 349, 355, 358, 360, 362];

const started: Engine[] = [];
afterAll(() => Promise.all(started.map((engine) => engine.stop())));

test.concurrent.each([
  ["Redis", startRedis],
  ["PostgreSQL", startPostgres],
  ["MariaDB", startMysql],
])("a right shop of two processes on %s passes", async (name, start) => {
  const engine = await start();
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
});

test.concurrent.each([
  ["SQLite", undefined],
  ["PostgreSQL", startPostgres],
  ["MariaDB", startMysql],
])("a shop of two processes on the checkout passes with %s", async (name, start) => {
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
});
