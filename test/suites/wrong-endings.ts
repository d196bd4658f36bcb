import type { Order } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "../checkout/stage.ts";
import { HAS_ALL_ROWS } from "../support/orms/all-rows.ts";
import type { OrmName } from "../support/orms/orm.ts";
import type { MerchantDatabase } from "./checkout-transaction.ts";
import { type Engine, type Row, WRONG_ENDINGS, type Wrong } from "./wrong-on-paid.ts";

const EMPTY = /has written no row/;
const isOfEmptiness = (error: unknown) => EMPTY.test(String(error));

/** What becomes of the goods, whatever `onPaid` does, with the connection of the merchant's own library. */
export function wrongEndingsSuite(
  name: string,
  engine: Engine,
  fresh: (now: () => number) => Promise<MerchantDatabase>,
  orm?: OrmName,
): void {
  describe(`${name}: whatever onPaid does, the goods are given once, or a person is told`, () => {
    const rows = WRONG_ENDINGS.flatMap(({ end, isOfLibraries, ...row }) => {
      if (orm && !isOfLibraries && !HAS_ALL_ROWS) return [];
      const own = typeof end === "string" ? end : ((orm && end[`${engine} ${orm}`]) ?? end[engine]);
      return own === undefined ? [] : [{ ...row, end: own }];
    });
    it.each(rows)("onPaid $name: $end", async ({ onPaid, end }) => {
      const { checkout, merchant, errors, reviews, tries } = await played(onPaid, engine, fresh);
      const look = async () => {
        const order = (await checkout.inspect(ORDER.id)) as Order;
        const goods = await merchant.goods();
        return { goods, effect: order.effect, reviews: reviews(order) };
      };
      const seen = await look();
      const { goods } = seen;
      if (end === "again") {
        expect(seen).toMatchObject({ effect: "due", reviews: ["effect_failed"] });
        return;
      }
      if (end === "stopped") {
        expect(goods.length).toBeLessThanOrEqual(1);
        expect(seen).toMatchObject({ effect: "due", reviews: ["effect_unclear"] });
        expect(tries()).toBe(1);
        return;
      }
      if (end === "safe") {
        const isGiven = seen.effect === "done" && goods.length === 1;
        expect(goods.length).toBeLessThanOrEqual(1);
        const isTold = seen.reviews.length > 0 || errors.some(isOfEmptiness);
        expect(isGiven || isTold, JSON.stringify(seen)).toBe(true);
        return;
      }
      if (end === "empty") {
        expect(seen).toMatchObject({ goods: [], effect: "done" });
        expect(errors.map(String)).toEqual([expect.stringMatching(EMPTY)]);
        return;
      }
      const expected = {
        given: { effect: "done", reviews: [] },
        "given, told": { effect: "done", reviews: ["effect_unclear"] },
        refused: { effect: "refused", reviews: ["refund_due"] },
        dropped: { effect: "done", reviews: ["effect_unclear"] },
        told: { effect: "due", reviews: ["effect_failed"] },
      };
      const given = ["told", "dropped", "refused"].includes(end) ? [] : [ORDER.id];
      // What a person must look at may be written after the last round.
      await expect.poll(look).toMatchObject({ goods: given, ...expected[end] });
    });
  });
}

/** After so many rounds in which `onPaid` was not called, it is not called any more. */
const QUIET_ROUNDS = 3;

/** An order that is paid, and thirteen tries of its goods, if they fail. */
async function played(
  onPaid: Row["onPaid"],
  engine: Engine,
  fresh: (now: () => number) => Promise<MerchantDatabase>,
) {
  const clock = testClock();
  const sandbox = newSandbox();
  const merchant = await fresh(clock.now);
  const laters: Promise<unknown>[] = [];
  let tries = 0;
  const all: Wrong["all"] = (...steps) => {
    if (engine === "sqlite") {
      for (const step of steps) step();
      return undefined;
    }
    return (async () => {
      for (const step of steps) await step();
    })();
  };
  const errors: unknown[] = [];
  const { checkout } = openShop(sandbox, merchant.open(), {
    onError: (error) => errors.push(error),
    onPaid: ({ id }, context) => {
      tries++;
      return onPaid({
        ...{ id, context, checkout, all },
        give: (connection) => merchant.give(connection, id),
        giveElsewhere: () => merchant.giveElsewhere(id),
        sql: (connection, text) => merchant.sql(connection, text),
        makeOnly: (connection) => merchant.makeOnly?.(connection),
        later: (work) => laters.push(work().catch(() => {})),
      });
    },
  });
  await checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  for (let round = 0, quiet = 0; round < 14 && quiet < QUIET_ROUNDS; round++) {
    const before = tries;
    clock.advance(360_000);
    await checkout.reconcile();
    await Promise.all(laters);
    quiet = tries === before ? quiet + 1 : 0;
  }
  const reviews = (order: Order) => order.reviews.map(({ kind }) => kind);
  return { checkout, merchant, errors, reviews, tries: () => tries };
}
