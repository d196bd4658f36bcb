import { describe, expect, test } from "vitest";
import { type SqlIdempotencyOptions, sqlIdempotency } from "../../src/idempotency/sql-store.ts";
import type { KeyStatement } from "../../src/idempotency/tables.ts";
import type { Tables } from "../../src/storage/room.ts";
import type { Step, Steps } from "../../src/storage/sql-steps.ts";
import type { KeyStore } from "../support/key-stores.ts";
import { attemptOf, freshKey, LONG_OVER_MS } from "./idempotency-stage.ts";

/** A SQL database that holds idempotency keys, and nothing else. */
export interface SqlKeys {
  /** Opens it, as another process would. */
  open(options?: SqlIdempotencyOptions): KeyStore;
  /** The keys that are stored. */
  keys(): Promise<string[]>;
  /** Ends the retention of each result. */
  expire(): Promise<void>;
}

const DONE = { state: "succeeded", result: "R" } as const;

async function succeed(store: KeyStore, key: string): Promise<void> {
  await store.begin(key, attemptOf("a"));
  await store.finish(key, "a", DONE);
}

/** The tables, and each statement that runs on them. */
function counted(tables: Tables<KeyStatement>) {
  const ran: unknown[] = [];
  function* noted<Returned>(steps: Steps<KeyStatement, Returned>): Steps<KeyStatement, Returned> {
    let next = steps.next();
    while (!next.done) {
      const step: Step<KeyStatement> = next.value;
      ran.push(step[0]);
      next = steps.next(yield step);
    }
    return next.value;
  }
  const run: Tables<KeyStatement>["run"] = (steps) => tables.run(() => noted(steps()));
  const takeWarnings = () => tables.takeWarnings();
  return { tables: { run, takeWarnings } as Tables<KeyStatement>, ran };
}

/** What a store of keys promises about the table below it. */
export function storesKeysInTables(name: string, fresh: () => Promise<SqlKeys>): void {
  describe(`${name} below idempotency keys`, () => {
    test("lets exactly one of 40 simultaneous attempts begin when a result has expired", async () => {
      const place = await fresh();
      const stores = Array.from({ length: 4 }, () => place.open());
      const key = freshKey();
      await succeed(stores[0] as KeyStore, key);
      await place.expire();
      const begun = await Promise.all(
        Array.from({ length: 40 }, (_, at) => stores[at % 4]?.begin(key, attemptOf(`owner ${at}`))),
      );
      expect(begun.filter((one) => one?.state === "begun")).toHaveLength(1);
      expect(begun.filter((one) => one?.state === "in_flight")).toHaveLength(39);
      expect(await stores[1]?.read(key)).toMatchObject({ state: "in_flight", result: undefined });
    });

    test("drops expired records when others end, and only those", async () => {
      const place = await fresh();
      const store = place.open();
      const [old, left, flying, young] = [freshKey(), freshKey(), freshKey(), freshKey()];
      await store.begin(flying, attemptOf("a", { leaseMs: LONG_OVER_MS }));
      await store.begin(left, attemptOf("a"));
      await store.finish(left, "a", { state: "unknown" });
      await succeed(store, old);
      await place.expire();
      await succeed(store, young);
      const another = place.open();
      await another.finish(flying, "nobody", DONE);
      await expect.poll(() => place.keys()).not.toContain(old);
      expect(await place.keys()).toEqual([left, flying, young].sort());
    });

    test("drops more records than a store ever gets, in small groups", async () => {
      const place = await fresh();
      const store = place.open();
      for (let count = 0; count < 50; count++) await succeed(store, freshKey());
      await place.expire();
      const { tables, ran } = counted(store.tables);
      const later = sqlIdempotency(tables);
      // Groups of 20, 20 and 10: the next attempt that ends goes on with a group that was full.
      for (const left of [30, 10, 0]) {
        await later.finish("none", "a", DONE);
        await expect.poll(async () => (await place.keys()).length).toBe(left);
      }
      expect(ran.filter((one) => one === "dropExpired")).toHaveLength(3);
    });

    test("begins and ends an attempt by one statement each, and rarely looks for more", async () => {
      const place = await fresh();
      const { tables, ran } = counted(place.open().tables);
      const store = sqlIdempotency(tables);
      const steps: unknown[] = [];
      for (let count = 0; count < 20; count++) {
        const key = freshKey();
        await store.begin(key, attemptOf("a"));
        await store.finish(key, "a", DONE);
        steps.push("begin", "finish");
      }
      expect(ran.filter((one) => one !== "expired")).toEqual(steps);
      expect(ran.filter((one) => one === "expired")).toHaveLength(2);
    });
  });
}
