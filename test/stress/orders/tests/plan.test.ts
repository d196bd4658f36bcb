import { describe, expect, test } from "vitest";
import { ENGINES } from "../../harness/engines.ts";
import { countStates, lackingKinds } from "../../harness/hard-states.ts";
import { History } from "../../harness/history.ts";
import { rowsOn, type World } from "../hard-states.ts";
import {
  CHANGED,
  handPhone,
  incidentsOf,
  MIN_ORDERS,
  planMore,
  planOrders,
  REVIEWED,
} from "../plan.ts";
import { orders } from "../subject.ts";
import { wrongNames } from "../wrong-on-paid.ts";

const nothing: World = {
  history: new History(),
  end: {
    ...{ planned: [], orders: [], ledger: [], goods: [], carts: [], refused: [], strays: [] },
    ...{ responsesLost: 0, books: {} as World["end"]["books"] },
  },
};

describe.each(orders.engines)("a campaign of orders on %s", (engine) => {
  test("plans each incident, however few orders it has", () => {
    const planned = planOrders("1", engine, MIN_ORDERS).map(({ incident }) => incident);
    expect(planned).toEqual(expect.arrayContaining([...incidentsOf(engine)]));
  });

  test("plans each way in which onPaid goes wrong, however few orders it has", () => {
    const planned = planOrders("1", engine, MIN_ORDERS).map(({ wrong }) => wrong);
    expect(planned).toEqual(expect.arrayContaining([...wrongNames(engine)]));
  });

  test.each(Object.entries({ ...REVIEWED, ...CHANGED }))(
    "plans an order that people decide about, change or pay back, however few orders it has: %s",
    (_, kind) => {
      const planned = planOrders("1", engine, MIN_ORDERS);
      expect(planned).toContainEqual(expect.objectContaining(kind));
    },
  );

  test("has a phone for each part that someone pays by hand, which is no other's", () => {
    const planned = [
      ...planOrders("1", engine, 2_000),
      ...planMore({ seed: "1", engine }, 1, Object.values(CHANGED)),
    ];
    const phones = planned.flatMap(({ id, byHand }) => byHand.map((_, at) => handPhone(id, at)));
    expect(phones.length).toBeGreaterThan(0);
    expect(new Set([...phones, ...planned.map(({ phone }) => phone)]).size).toBe(
      phones.length + new Set(planned.map(({ phone }) => phone)).size,
    );
  });

  test("asks for each hard state that the engine can have", () => {
    const asked = countStates(rowsOn(engine), nothing).map(([name]) => name);
    const notAsked = rowsOn(engine)
      .map(({ name }) => name)
      .filter((name) => !asked.includes(name));
    expect(notAsked).toEqual(
      ENGINES[engine].isFile
        ? ["onPaid waits for a read of its order in its transaction"]
        : [
            "orders rejected while the SQLite file was away",
            "webhooks rejected while the SQLite file was away",
          ],
    );
  });

  test("has more orders for a hard state that never came", () => {
    const kinds = lackingKinds(rowsOn(engine), nothing);
    expect(kinds.length).toBe(countStates(rowsOn(engine), nothing).length);
    const more = planMore({ seed: "1", engine }, 1, kinds);
    expect(new Set(more.map(({ id }) => id)).size).toBe(4 * kinds.length);
    for (const [at, { incident, ...kind }] of kinds.entries()) {
      for (const order of more.slice(4 * at, 4 * at + 4)) {
        expect(order).toMatchObject(kind);
        expect(order.incident?.name).toBe(incident);
      }
    }
  });
});
