import { ConfigurationError, Gateway, type IdempotencyStore } from "malipo";
import { createSandbox } from "malipo/sandbox";
import type { IdempotencyEngine, InboxEngine } from "malipo/types";
import { createWebhookReceiver } from "malipo/webhooks";
import { afterEach, describe, expect, test } from "vitest";

interface Engine extends IdempotencyEngine, InboxEngine {
  open(): Promise<void>;
  close(): Promise<void>;
  check(): Promise<string[]>;
}

/** What every engine promises. @param make - Makes one on data that no other test has. */
export function engineSuite(name: string, make: (options?: object) => Engine): void {
  let open: Engine[] = [];
  const made = (options?: object) => {
    const engine = make(options);
    open.push(engine);
    return engine;
  };
  afterEach(async () => {
    await Promise.all(open.map((one) => one.close()));
    open = [];
  });

  describe(`${name}, an engine`, () => {
    test("returns the same store of keys for the same options, and another one for others", () => {
      const db = made();
      expect(db.idempotency({ scope: "" })).toBe(db.idempotency());
      expect(db.idempotency({ scope: "shop" })).toBe(db.idempotency({ scope: "shop" }));
      expect(db.idempotency({ scope: "shop" })).not.toBe(db.idempotency());
    });

    test("is what a gateway takes: one key makes one prompt", async () => {
      const db = made();
      const sandbox = createSandbox();
      const { baseUrl, fetch, keys } = sandbox;
      const gateways = [db, db.idempotency()].map(
        (idempotency: Engine | IdempotencyStore) =>
          new Gateway({ apiKey: keys.secret, baseUrl, fetch, idempotency }),
      );
      const params = { amount: 100, phone: "0712345678" };
      const [first, second] = await Promise.all(
        gateways.map((one) => one.mobileMoney.initiate(params, { idempotencyKey: "ORDER-1/1" })),
      );
      expect(first?.reference).toBe(second?.reference);
      expect((await db.idempotency().list()).attempts).toHaveLength(1);
    });

    test("is what a receiver takes", async () => {
      const receiver = createWebhookReceiver({ secret: "whsec_1", inbox: made() });
      receiver.on("payment.completed", () => {});
      await receiver.start();
      expect((await receiver.stats()).waiting).toBe(0);
      await receiver.stop();
    });

    test("rejects a wrong option in a full sentence that names it", () => {
      expect(() => made({ misspelt: 1 })).toThrow(/ has no option "misspelt"\. Its options are: /);
      expect(() => made().idempotency({ scope: 1 } as object)).toThrow(
        /^`scope` must be .*; got 1\.$/,
      );
      expect(() => made().inbox({ retentionMs: -1 })).toThrow(
        /^`retentionMs` must be .*; got -1\.$/,
      );
    });

    test("says that it is closed, also by stores that it returned before", async () => {
      const db = made();
      const store = db.idempotency();
      await db.close();
      await db.close();
      const closed = /^This engine was closed, so the call did nothing\./;
      expect(() => db.idempotency()).toThrow(closed);
      expect(() => db.inbox()).toThrow(closed);
      await expect(store.list()).rejects.toThrow(closed);
      await expect(store.list()).rejects.toThrow(ConfigurationError);
    });
  });
}
