import { setImmediate } from "node:timers/promises";
import { mergePayment, type Payment } from "malipo";
import {
  CounterexampleError,
  createSandbox,
  type Explorable,
  type ExploreOptions,
  explore,
} from "malipo/sandbox";
import type { WebhookEvent } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { fc } from "../../support/properties.ts";

const event = (kind: string, status: string, reference = "PAY-1"): WebhookEvent => ({
  event: `payment.${kind}`,
  timestamp: "2026-01-01T09:00:00+03:00",
  data: { reference, status },
});
const initiated = event("initiated", "pending");
const completed = event("completed", "completed");
const failed = event("failed", "failed");

type Orders = Record<string, Payment>;
const dataOf = ({ data }: WebhookEvent) => data as Payment & { reference: string };

/** A shop that keeps its orders by what `change` makes of each event. */
const shop = (change: (orders: Orders, data: ReturnType<typeof dataOf>) => void) => () => {
  const orders: Orders = {};
  return { handle: (one: WebhookEvent) => change(orders, dataOf(one)), state: () => orders };
};
const merging = shop((orders, data) => {
  orders[data.reference] = mergePayment(orders[data.reference], data).payment;
});
const overwriting = shop((orders, data) => {
  orders[data.reference] = data;
});

const counterexampleOf = async (
  fresh: () => Explorable,
  events: WebhookEvent[],
  options?: ExploreOptions,
): Promise<CounterexampleError<WebhookEvent>> => {
  const error = await explore(fresh, events, options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(CounterexampleError);
  return error as CounterexampleError<WebhookEvent>;
};

describe("a handler that merges", () => {
  test("ends in one state in every order and with every repetition", async () => {
    expect(await explore(merging, [initiated, completed])).toEqual({ runs: 14 });
    expect(await explore(merging, [initiated, completed], { times: 1 })).toEqual({ runs: 2 });
    const two = [initiated, completed, event("completed", "completed", "PAY-2")];
    expect(await explore(merging, two)).toEqual({ runs: 222 });
  });

  test("works with what a sandbox really sends", async () => {
    const sandbox = createSandbox({ deliver: async () => new Response() });
    const call = (path: string, body: object) =>
      sandbox.fetch(sandbox.baseUrl + path, {
        method: "POST",
        headers: { "x-api-key": sandbox.keys.secret },
        body: JSON.stringify(body),
      });
    const events = ["payment.initiated", "payment.completed"];
    await call("/webhooks/register", { name: "shop", url: "https://shop.test", events });
    await call("/payments/initiate", { amount: 1, phone: "0712345678" });
    sandbox.phone("0712345678").approve();
    const history = sandbox.deliveries.all().map(({ body }) => JSON.parse(body) as WebhookEvent);
    expect(history).toHaveLength(2);
    expect(await explore(merging, history)).toEqual({ runs: 14 });
  });
});

describe("a handler that overwrites", () => {
  test("gets the two shortest orders with different states", async () => {
    const error = await counterexampleOf(overwriting, [initiated, completed]);
    expect(error.orders).toEqual([
      [initiated, completed],
      [completed, initiated],
    ]);
    expect(error.states[0]).toContain('status: "completed"');
    expect(error.states[1]).toContain('status: "pending"');
    expect(error.message).toBe(
      [
        "The final state depends on the order of the events.",
        "",
        "  in order  payment.initiated PAY-1, payment.completed PAY-1",
        `  ends in   {PAY-1: {reference: "PAY-1", status: "completed"}}`,
        "",
        "  but       payment.completed PAY-1, payment.initiated PAY-1",
        `  ends in   {PAY-1: {reference: "PAY-1", status: "pending"}}`,
        "",
        "In the second order payment.completed PAY-1 comes before payment.initiated PAY-1, not after it.",
      ].join("\n"),
    );
  });

  test("gets two orders that differ in only two neighbours, even in a long history", async () => {
    const others = ["PAY-2", "PAY-3", "PAY-4"].map((name) => event("completed", "completed", name));
    const history = [initiated, ...others, completed];
    const { orders, states } = await counterexampleOf(overwriting, history, { times: 1 });
    const [one, other] = orders;
    const at = one.findIndex((event, index) => event !== other[index]);
    expect(
      other.toSpliced(at, 2, other[at + 1] as WebhookEvent, other[at] as WebhookEvent),
    ).toEqual(one);
    expect([one[at], one[at + 1]]).toEqual([initiated, completed]);
    expect(states[0]).not.toBe(states[1]);
  });
});

describe("a handler that counts", () => {
  const counting = () => {
    let shipped = 0;
    return { handle: () => ++shipped, state: () => ({ shipped }) };
  };

  test("is right in every order, and fails at the first repetition", async () => {
    expect(await explore(counting, [completed, failed], { times: 1 })).toEqual({ runs: 2 });
    const error = await counterexampleOf(counting, [completed, failed]);
    expect(error.orders.map((order) => order.length)).toEqual([2, 3]);
    expect(error.states).toEqual(["{shipped: 2}", "{shipped: 3}"]);
    expect(error.message).toMatch(/payment\.completed PAY-1 comes once more\.$/);
  });

  test("of one event fails too", async () => {
    const { orders } = await counterexampleOf(counting, [completed]);
    expect(orders).toEqual([[completed], [completed, completed]]);
  });

  test("up to two fails if events may come three times", async () => {
    const capped = () => {
      let count = 0;
      return { handle: () => ++count, state: () => count > 2 };
    };
    expect(await explore(capped, [completed])).toEqual({ runs: 2 });
    expect((await counterexampleOf(capped, [completed], { times: 3 })).orders[1]).toHaveLength(3);
  });
});

describe("a handler that throws", () => {
  /** Knows no payment that it has not seen begin. */
  const strict = (known: Set<string>) => (data: ReturnType<typeof dataOf>) => {
    if (data.status === "pending") known.add(data.reference);
    else if (!known.has(data.reference)) throw new Error("who is that?");
  };

  test("gets the event again after the others, as with a retry", async () => {
    const fresh = () => {
      const known = new Set<string>();
      const handled: string[] = [];
      return {
        handle: (one: WebhookEvent) => {
          strict(known)(dataOf(one));
          handled.push(dataOf(one).status);
        },
        state: () => new Set(handled),
      };
    };
    expect(await explore(fresh, [initiated, completed])).toEqual({ runs: 14 });
  });

  test("only in some order is a counterexample that names the error", async () => {
    const fresh = () => {
      let last = "";
      return {
        handle: (one: WebhookEvent) => {
          if (dataOf(one).status === "completed" && last === "failed") throw new Error("too late");
          last = dataOf(one).status;
        },
        state: () => null,
      };
    };
    const { message } = await counterexampleOf(fresh, [completed, failed], { times: 1 });
    expect(message).toContain("null, 1 never accepted: Error: too late");
  });

  test("in the given order fails, with the error as the cause", async () => {
    const cause = new Error("no database");
    const fresh = () => ({ handle: () => Promise.reject(cause), state: () => 0 });
    const error = await explore(fresh, [completed]).catch((error) => error);
    expect(error).not.toBeInstanceOf(CounterexampleError);
    expect(error.message).toMatch(/even in the given order.*no database/);
    expect(error.cause).toBe(cause);
  });
});

describe("every run", () => {
  test("ends and is closed before the next one begins", async () => {
    let open = 0;
    let most = 0;
    const fresh = async () => {
      await Promise.resolve();
      most = Math.max(most, ++open);
      const seen: string[] = [];
      return {
        handle: async (one: WebhookEvent) => {
          await Promise.resolve();
          seen.push(one.event);
        },
        state: async () => new Set(seen),
        close: async () => {
          await setImmediate();
          open--;
        },
      };
    };
    await explore(fresh, [initiated, completed]);
    expect([open, most]).toEqual([0, 1]);
  });

  test("has its own copies of the events", async () => {
    const before = structuredClone(initiated);
    const spoiling = () => ({
      handle: (one: WebhookEvent) => {
        expect(one).toEqual(before);
        one.event = "spoilt";
      },
      state: () => 0,
    });
    await explore(spoiling, [initiated], { times: 3 });
    expect(initiated).toEqual(before);
  });

  test("is one order; all orders are tried, each once", async () => {
    const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 2 }),
        async (count, times) => {
          const seen: string[] = [];
          const fresh = () => {
            let order = "";
            return {
              handle: (one: number) => {
                order += one;
              },
              state: () => 0,
              close: () => seen.push(order),
            };
          };
          const numbers = [...Array(count).keys()];
          const { runs } = await explore<number>(fresh, numbers, { times });
          expect(seen).toHaveLength(runs);
          expect(new Set(seen).size).toBe(runs);
          const shortest = seen.filter((order) => order.length === count);
          expect(shortest).toHaveLength(factorial(count));
          expect(seen[0]).toBe(numbers.join(""));
          expect(seen.at(-1)).toHaveLength(count * times);
          for (const order of seen) {
            for (const one of numbers) {
              const copies = order.split(String(one)).length - 1;
              expect(copies).toBeGreaterThanOrEqual(1);
              expect(copies).toBeLessThanOrEqual(times);
            }
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
