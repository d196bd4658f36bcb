import { afterAll, describe, expect, test } from "vitest";
import { engineCrashSuite } from "../../../suites/inbox-engine.ts";
import { killSuite } from "../../../suites/inbox-kills.ts";
import { gateOf, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { startPostgres } from "../../../support/engines/postgres.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace } from "./stage.ts";

const engine = await startPostgres();
const here = engine as Engine;
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0");

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  killSuite("postgres", () => url, undefined, engine);
  engineCrashSuite("postgresInbox", engine, (connectionString, queue) =>
    postgresInbox({ connectionString, schema: `"${queue}"`, pace }),
  );

  describe("a process that stops between the end of its event and the COMMIT", () => {
    stopAll();
    closeProxies();

    test("keeps its event from the others for a minute at most", async () => {
      const proxy = await proxyTo(here);
      const schema = freshSchema();
      const stopped = receiverOn(postgresInbox({ connectionString: proxy.url, schema, pace }));
      let isEnding = false;
      proxy.beforeRequests(async (chunk) => {
        isEnding ||= chunk.includes("SAVEPOINT malipo_transaction");
        if (!isEnding || !chunk.equals(COMMIT)) return;
        proxy.silence();
        await new Promise(() => {});
      });
      const [begun, begin] = gateOf<void>();
      stopped.onOther(async (_, { transaction }) => {
        begin();
        await transaction(() => {});
      });
      const other = receiverOn(postgresInbox({ connectionString: url, schema, pace }));
      const attempts: number[] = [];
      other.onOther((_, { attempt }) => attempts.push(attempt));
      await other.post("PAY-1");
      await stopped.start();
      await begun;
      await other.start();
      await until(() => attempts.length > 0);
      expect(attempts).toEqual([2]);
    });
  });
});

describe.skipIf(engine === undefined)("postgresInbox in a transaction of the user's client", () => {
  // The others lose their connection in the same way: transact.test.ts has all of them.
  killSuite("postgres", () => url, ["prisma", "typeorm"]);
});
