import { afterAll, expect, test } from "vitest";
import { allCases } from "../../src/drill/cases.ts";
import { runDrill } from "../../src/drill/drill.ts";
import { exitStatus, formatReport } from "../../src/drill/report.ts";
import { parseSettings } from "../../src/drill/settings.ts";
import type { Engine } from "../support/engines/engine.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";

/** All cases with `DRILL=all`, otherwise some of them. */
const CASES = process.env.DRILL === "all" ? undefined : [11, 41, 181, 198];

const started: Engine[] = [];
afterAll(() => Promise.all(started.map((engine) => engine.stop())));

test.concurrent.each([
  ["Redis", startRedis],
  ["PostgreSQL", startPostgres],
])("a right shop of two processes on %s passes", { timeout: 900_000 }, async (name, start) => {
  const engine = await start();
  if (engine === undefined) return;
  started.push(engine);
  const settings = parseSettings({
    start: `"${process.execPath}" test/drill/shops/engine-shop.ts`,
    order: 'POST /orders {"phone":"{phone}","amount":{amount},"order":"{order}"}',
    status: "GET /orders/{order}",
    effects: "GET /orders/{order} /shipped",
    env: [`ENGINE=${engine.url}`, `RUN=run${Date.now()}`],
    ready: "GET /orders/none",
    quiet: "20s",
    slow: "7s",
    // They would share the engine.
    workers: "1",
  });
  const cases = CASES && allCases().filter(({ number }) => CASES.includes(number));
  const listener = { dryRun: () => {}, progress: () => {}, output: () => {}, end: () => {} };
  const result = await runDrill(settings, { cases, listener });
  expect(exitStatus(result), `${name}\n${formatReport(result)}`).toBe(0);
});
