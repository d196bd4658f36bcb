// What a library does when its connection is reset: a process that has only malipo beside it goes on.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closeProxies, proxyTo } from "../engines/proxy.ts";
import { sharedMysql, sharedPostgres } from "../engines/shared.ts";
import { MYSQL_ORMS } from "./mysql-orms.ts";
import { POSTGRES_ORMS } from "./postgres-orms.ts";

const SERVERS = [
  ["PostgreSQL", await sharedPostgres(), POSTGRES_ORMS],
  ["MariaDB", await sharedMysql(), MYSQL_ORMS],
] as const;

/** How long an error may take that nothing waits for. */
const LATE_MS = 100;
/** A pool may try to connect for as long as it likes. */
const MAX_WAIT_MS = 2_000;

const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on("uncaughtException", note).on("unhandledRejection", note);
});
afterEach(() => {
  process.off("uncaughtException", note).off("unhandledRejection", note);
});

const atMost = (work: Promise<unknown>) => Promise.race([work.catch(() => {}), sleep(MAX_WAIT_MS)]);

describe.each(SERVERS)("a connection to %s that is reset ends no process", (_, engine, orms) => {
  closeProxies();

  const names = Object.keys(orms) as (keyof typeof orms)[];
  test.skipIf(engine === undefined).each(names)("if %s has made it", async (name) => {
    if (engine === undefined) return;
    for (const when of ["before it is used again", "in a transaction", "as it commits"] as const) {
      const proxy = await proxyTo(engine);
      const orm = orms[name](proxy.url);
      const transact = (isReset: boolean) =>
        orm.transact(async (tx) => {
          await orm.run(tx, "SELECT 1");
          if (isReset) proxy.reset();
          if (when === "in a transaction") await sleep(LATE_MS);
        });
      await transact(false);
      if (when === "before it is used again") proxy.reset();
      await atMost(transact(when !== "before it is used again"));
      await sleep(LATE_MS);
      await atMost(orm.close());
      expect(unhandled, when).toEqual([]);
    }
  });

  test.skipIf(engine === undefined).each(names)("while %s makes it", async (name) => {
    if (engine === undefined) return;
    const proxy = await proxyTo(engine);
    for (let requests = 0; requests < 4; requests++) {
      let seen = 0;
      proxy.beforeRequests(async () => {
        if (++seen > requests) proxy.reset();
      });
      const orm = orms[name](proxy.url);
      await atMost(orm.transact((tx) => orm.run(tx, "SELECT 1")));
      await atMost(orm.close());
      await sleep(LATE_MS);
      expect(unhandled, `after ${requests} requests`).toEqual([]);
    }
  });
});
