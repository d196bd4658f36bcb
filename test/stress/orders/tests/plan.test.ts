import { describe, expect, test } from "vitest";
import { History } from "../../harness/history.ts";
import type { End } from "../check.ts";
import { hardStates, leadsTo, notAskedFor } from "../hard-states.ts";
import type { OrderHappening } from "../messages.ts";
import { incidentsOf, MIN_ORDERS, planMore, planOrders, REVIEWED } from "../plan.ts";
import { STORES } from "../store.ts";
import { wrongNames } from "../wrong-on-paid.ts";

const nothing = new History<OrderHappening>();
const end: End = { planned: [], orders: [], ledger: [], goods: [], carts: [], responsesLost: 0 };

describe.each(STORES)("a campaign of orders on %s", (store) => {
  test("plans each incident, however few orders it has", () => {
    const planned = planOrders("1", store, MIN_ORDERS).map(({ incident }) => incident);
    expect(planned).toEqual(expect.arrayContaining([...incidentsOf(store)]));
  });

  test("plans each way in which onPaid goes wrong, however few orders it has", () => {
    const planned = planOrders("1", store, MIN_ORDERS).map(({ wrong }) => wrong);
    expect(planned).toEqual(expect.arrayContaining([...wrongNames(store)]));
  });

  test.each(Object.entries(REVIEWED))(
    "plans a review that two people decide, however few orders it has: %s",
    (_, kind) => {
      const planned = planOrders("1", store, MIN_ORDERS);
      expect(planned).toContainEqual(expect.objectContaining(kind));
    },
  );

  test("asks for each hard state, or says that the store cannot have it", () => {
    const all = STORES.flatMap((one) => hardStates(one, nothing, end).map(([name]) => name));
    const asked = hardStates(store, nothing, end).map(([name]) => name);
    const missing = [...new Set(all)].filter((name) => !asked.includes(name));
    const ofEngines = (name: string) => name.startsWith("engine ");
    expect(missing.filter((name) => !ofEngines(name)).sort()).toEqual(
      [...notAskedFor(store)].sort(),
    );
  });

  test("has more orders for a hard state that never came", () => {
    const states = hardStates(store, nothing, end).map(([name]) => name);
    const more = planMore({ seed: "1", store }, 1, states.map(leadsTo));
    expect(new Set(more.map(({ id }) => id)).size).toBe(4 * states.length);
    for (const [at, name] of states.entries()) {
      const { incident, ...kind } = leadsTo(name);
      for (const order of more.slice(4 * at, 4 * at + 4)) {
        expect(order, name).toMatchObject(kind);
        expect(order.incident?.name, name).toBe(incident);
      }
    }
  });
});
