import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Checkout, Order } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import type { CheckoutStore } from "../../src/checkout/orders/checkout-store.ts";
import { endWithThisProcess } from "../../src/drill/child.ts";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "../checkout/stage.ts";
import { HAS_ALL_ROWS } from "../support/orms/all-rows.ts";
import { gateOf } from "./inbox-stage.ts";

/** A database of the merchant, with his table of goods and the tables of a checkout. */
export interface MerchantDatabase {
  /** The store of the checkout. A second call opens it as another process does. */
  open(): CheckoutStore;
  /** Writes a row of goods by the connection that a `transaction` passes on. */
  give(connection: unknown, order: string): unknown;
  goods(): Promise<readonly string[]>;
  /** Writes a row of goods by another connection, which commits at once. */
  giveElsewhere(order: string): Promise<unknown>;
  /** Runs a statement by the connection that a `transaction` passes on. */
  sql(connection: unknown, text: string): unknown;
  /** Makes a statement by that connection, which nothing runs. */
  makeOnly?(connection: unknown): unknown;
  /**
   * Runs a transaction of the merchant. It is rolled back if the work throws.
   *
   * @param work - Gets what `create` takes, and the connection that `give` takes.
   */
  inTransaction(work: (transaction: unknown, connection: unknown) => Promise<void>): Promise<void>;
  /** What another process needs to find it. */
  readonly place: Readonly<Record<string, string>>;
}

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const ORM_PACKAGES = ["knex", "typeorm", "@prisma/*", "@mikro-orm/*", "sequelize"];

/** Beside node_modules, so that the modules that are not bundled are found. A folder for each process of tests. */
const PROGRAM = fromRoot(`node_modules/.cache/run/paying-${process.env.VITEST_POOL_ID}`);
let bundling: Promise<unknown> | undefined;

/** Runs a process that is killed in the transaction of `onPaid`, between the goods and the commit. */
async function runKilled(settings: object): Promise<NodeJS.Signals | null> {
  bundling ??= build({
    entryPoints: [fromRoot("test/checkout/support/paying-process.ts")],
    outdir: PROGRAM,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What is imported later is loaded later.
    splitting: true,
    platform: "node",
    format: "esm",
    tsconfig: fromRoot("tsconfig.json"),
    external: ["better-sqlite3", "pg", "pg-boss", "mysql2", "mariadb", ...ORM_PACKAGES],
    logLevel: "error",
  });
  await bundling;
  const child = fork(`${PROGRAM}/paying-process.mjs`, [JSON.stringify(settings)], { execArgv: [] });
  endWithThisProcess(child);
  const [, signal] = await once(child, "exit");
  return signal;
}

const MINUTE_MS = 60_000;
const BROKEN = new Error("There are no tickets.");

/** Throws after a write, which some libraries begin only when it is awaited. */
function throwAfter(written: unknown): Promise<never> {
  if (typeof (written as PromiseLike<unknown> | undefined)?.then !== "function") throw BROKEN;
  return Promise.resolve(written).then(() => {
    throw BROKEN;
  });
}

type OnPaid = Parameters<typeof openShop>[2] extends { onPaid?: infer Given } | undefined
  ? NonNullable<Given>
  : never;

/** What the transactions of a checkout promise, with the connection of the merchant's own library. */
export function checkoutTransactionSuite(
  name: string,
  fresh: (now: () => number) => Promise<MerchantDatabase>,
  /** Ends every connection to the database, as a crash of its server does. */
  cut?: () => Promise<unknown>,
  isLibrary = false,
): void {
  /** In these, a library is asked for nothing that it is not asked for in the others. */
  const itOnDriver = (title: string, run: () => Promise<void>) => {
    if (!isLibrary || HAS_ALL_ROWS) it(title, run);
  };
  const stage = async () => {
    const clock = testClock();
    const sandbox = newSandbox();
    const merchant = await fresh(clock.now);
    const later = async (ms: number, checkout: Checkout) => {
      clock.advance(ms);
      await checkout.reconcile();
    };
    const open = (onPaid: OnPaid) => {
      const store = merchant.open();
      return openShop(sandbox, store, { onPaid, publicMetadata: ["cups"] });
    };
    /** A shop whose order was paid, and whose goods are due. */
    const paid = async (onPaid: OnPaid) => {
      const shop = open(onPaid);
      await shop.checkout.pay(ORDER);
      sandbox.phone(PHONE).approve();
      await sandbox.clock.advance("10s");
      return shop;
    };
    return { clock, merchant, later, open, paid };
  };

  describe(`${name}: the transaction of onPaid`, () => {
    it("commits the goods and “done” together: an error after it causes no second call", async () => {
      const { merchant, paid, later } = await stage();
      let calls = 0;
      const { checkout } = await paid(async ({ id }, { transaction }) => {
        calls++;
        await transaction((connection) => merchant.give(connection, id));
        throw BROKEN;
      });
      await later(10_000, checkout);
      await later(10 * MINUTE_MS, checkout);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "done" });
      expect(calls).toBe(1);
    });

    it("resolves with what the write returns", async () => {
      const { merchant, paid, later } = await stage();
      let given: unknown;
      const { checkout } = await paid(async ({ id }, { transaction }) => {
        given = await transaction((connection) => {
          const written = merchant.give(connection, id);
          return written instanceof Promise ? written.then(() => "given") : "given";
        });
      });
      await later(10_000, checkout);
      expect(given).toBe("given");
    });

    it("rolls back the goods and “done” if the write throws, and is tried again", async () => {
      const { merchant, paid, later } = await stage();
      let calls = 0;
      const { checkout, errors } = await paid(async ({ id }, { transaction }) => {
        calls++;
        await transaction((connection) => {
          const written = merchant.give(connection, id);
          return calls === 1 ? throwAfter(written) : written;
        });
      });
      await later(10_000, checkout);
      expect(errors).toContainEqual(expect.objectContaining({ cause: BROKEN }));
      expect(await merchant.goods()).toEqual([]);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "due" });
      await later(MINUTE_MS, checkout);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
      expect(calls).toBe(2);
    });

    itOnDriver("runs once for an order: a second one is rejected, and writes nothing", async () => {
      const { merchant, paid, later } = await stage();
      const { checkout, errors } = await paid(async ({ id }, { transaction }) => {
        for (let times = 0; times < 2; times++) {
          await transaction((connection) => merchant.give(connection, id));
        }
      });
      await later(10_000, checkout);
      expect(errors.map(String)).toEqual([expect.stringContaining("a second time")]);
      expect(await merchant.goods()).toEqual([ORDER.id]);
    });

    itOnDriver("of two processes at one order, one commits", async () => {
      const { merchant, paid, open, later } = await stage();
      const handsOver: OnPaid = async ({ id }: Order, { transaction }) => {
        await transaction((connection) => merchant.give(connection, id));
      };
      const [one, other] = [await paid(handsOver), open(handsOver)];
      await Promise.all([later(10_000, one.checkout), later(0, other.checkout)]);
      await later(10 * MINUTE_MS, other.checkout);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await other.checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
    });

    it("of a process that hangs past its lease commits nothing after another process has", async () => {
      const { merchant, paid, open, later } = await stage();
      const [isCalled, noteCall] = gateOf<void>();
      const [gate, resume] = gateOf<void>();
      const one = await paid(async ({ id }, { transaction }) => {
        noteCall();
        await gate;
        await transaction((connection) => merchant.give(connection, id));
      });
      const other = open(async ({ id }, { transaction }) => {
        await transaction((connection) => merchant.give(connection, id));
      });
      const hanging = later(10_000, one.checkout);
      await isCalled;
      await later(4 * MINUTE_MS, other.checkout);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      resume();
      await hanging;
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await other.checkout.inspect(ORDER.id)).toMatchObject({ effect: "done", reviews: [] });
      expect(one.errors.map(String)).toEqual([expect.stringContaining("not due any more")]);
    });

    itOnDriver(
      "is killed between the goods and the commit: another process hands them over, once",
      async () => {
        const { merchant, paid, later, clock } = await stage();
        let isDown = true;
        const { checkout } = await paid(async ({ id }, { transaction }) => {
          if (isDown) throw BROKEN;
          await transaction((connection) => merchant.give(connection, id));
        });
        await later(10_000, checkout);
        isDown = false;
        const settings = { ...merchant.place, order: ORDER.id, now: clock.now() + MINUTE_MS };
        expect(await runKilled(settings)).toBe("SIGKILL");
        expect(await merchant.goods()).toEqual([]);
        expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "due" });
        await later(4 * MINUTE_MS, checkout);
        expect(await merchant.goods()).toEqual([ORDER.id]);
        expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
      },
    );

    it("refuses the money in one commit with its rows, once, also after a process was killed", async () => {
      const { merchant, paid, later, clock } = await stage();
      let isDown = true;
      let calls = 0;
      const { checkout } = await paid(async ({ id }, { transaction, refuse }) => {
        if (isDown) throw BROKEN;
        calls++;
        await transaction((connection) => {
          refuse("The seat is gone.");
          return merchant.give(connection, id);
        });
      });
      await later(10_000, checkout);
      isDown = false;
      const killed = { order: ORDER.id, now: clock.now() + MINUTE_MS, refuses: true };
      expect(await runKilled({ ...merchant.place, ...killed })).toBe("SIGKILL");
      expect(await merchant.goods()).toEqual([]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ effect: "due", reviews: [] });
      for (let times = 0; times < 3; times++) await later(4 * MINUTE_MS, checkout);
      // What was written in the transaction of a refusal is kept with it.
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        effect: "refused",
        reviews: [{ kind: "refund_due", message: expect.stringContaining("The seat is gone.") }],
      });
      expect(calls).toBe(1);
    });

    if (cut === undefined) return;
    it("is another transaction than that in which the checkout was called", async () => {
      const { merchant, paid, later } = await stage();
      const { checkout } = await paid(async ({ id }, { transaction }) => {
        await transaction((connection) => merchant.give(connection, id));
      });
      const rolledBack = merchant.inTransaction(async (_, connection) => {
        await merchant.give(connection, "OTHER");
        await later(10_000, checkout);
        throw BROKEN;
      });
      await expect(rolledBack).rejects.toThrow(BROKEN.message);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
    });

    it("loses its connection between the goods and the commit: they are given once", async () => {
      const { merchant, paid, later } = await stage();
      let calls = 0;
      const { checkout } = await paid(async ({ id }, { transaction }) => {
        calls++;
        await transaction(async (connection) => {
          await merchant.give(connection, id);
          if (calls === 1) await cut();
        });
      });
      // It fails as a whole if the pool of the checkout has not noticed yet.
      const pass = (ms: number) => later(ms, checkout).catch(() => {});
      await pass(10_000);
      expect(await merchant.goods()).toEqual([]);
      for (let times = 0; times < 3; times++) await pass(4 * MINUTE_MS);
      expect(await merchant.goods()).toEqual([ORDER.id]);
      expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
      // More than twice, if the pool of the library has not noticed yet.
      expect(calls).toBeGreaterThan(1);
    });
  });

  describe(`${name}: create in a transaction of the merchant`, () => {
    const ITEM = "ITEM";

    it("commits with his own rows, and the order can be paid", async () => {
      const { merchant, open } = await stage();
      const { checkout } = open(() => {});
      await merchant.inTransaction(async (transaction, connection) => {
        await merchant.give(connection, ITEM);
        const order = await checkout.create(ORDER, { transaction });
        expect(order).toMatchObject({ status: "open", accountReference: "ORDER-1" });
        // A retry of the merchant's own code sees what is not committed yet.
        expect(await checkout.create(ORDER, { transaction })).toEqual(order);
        const other = checkout.create({ ...ORDER, amount: 1 }, { transaction });
        await expect(other).rejects.toMatchObject({ code: "order_conflict" });
      });
      expect(await merchant.goods()).toEqual([ITEM]);
      expect(await checkout.pay(ORDER)).toMatchObject({ status: "pending" });
    });

    it("leaves nothing if it is rolled back", async () => {
      const { merchant, open } = await stage();
      const { checkout } = open(() => {});
      const rolledBack = merchant.inTransaction(async (transaction, connection) => {
        await merchant.give(connection, ITEM);
        await checkout.create(ORDER, { transaction });
        throw BROKEN;
      });
      await expect(rolledBack).rejects.toThrow(BROKEN.message);
      expect(await merchant.goods()).toEqual([]);
      expect(await checkout.get(ORDER.id)).toBeUndefined();
      expect((await checkout.list()).items).toEqual([]);
      // Neither its id nor its account reference is taken.
      const again = { ...ORDER, id: "ORDER-2", accountReference: "ORDER-1", amount: 7 };
      expect(await checkout.pay(again)).toMatchObject({ status: "pending" });
    });

    it("changes an order with his own rows, or leaves it as it was", async () => {
      const { merchant, open } = await stage();
      const { checkout } = open(() => {});
      await checkout.create(ORDER);
      await merchant.inTransaction(async (transaction, connection) => {
        await merchant.give(connection, ITEM);
        const grown = await checkout.update(ORDER.id, { amount: 1800 }, { transaction });
        expect(grown).toMatchObject({ amount: "1800.00", due: "1800.00" });
        // The second change sees the first one.
        const described = await checkout.update(
          ORDER.id,
          { metadata: { cups: 2 } },
          { transaction },
        );
        expect(described).toMatchObject({ amount: "1800.00", metadata: { cups: 2 } });
      });
      const rolledBack = merchant.inTransaction(async (transaction) => {
        await checkout.update(ORDER.id, { amount: 1 }, { transaction });
        throw BROKEN;
      });
      await expect(rolledBack).rejects.toThrow(BROKEN.message);
      expect(await checkout.get(ORDER.id)).toMatchObject({ amount: "1800.00" });
      expect(await merchant.goods()).toEqual([ITEM]);
    });
  });
}
