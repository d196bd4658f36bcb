import { ConfigurationError } from "malipo";
import { CounterexampleError, type ExploreOptions, explore } from "malipo/sandbox";
import type { WebhookEvent } from "malipo/webhooks";
import { describe, expect, test } from "vitest";

const initiated: WebhookEvent = { event: "payment.initiated", timestamp: "", data: {} };

describe("two states are the same", () => {
  const differs = async (states: unknown[]) => {
    let run = 0;
    const fresh = () => ({ handle: () => {}, state: () => states[run++ % states.length] });
    const outcome = await explore(fresh, [initiated]).catch((error: unknown) => error);
    return outcome instanceof CounterexampleError;
  };
  const loop: unknown[] = [];
  loop.push(loop);

  test.each<[string, unknown, unknown]>([
    ["fields in another order", { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    [
      "a Map filled in another order",
      new Map([
        [1, { a: 1 }],
        [2, 0],
      ] as never),
      new Map([
        [2, 0],
        [1, { a: 1 }],
      ] as never),
    ],
    ["a Set filled in another order", new Set(["a", "b"]), new Set(["b", "a"])],
    ["a field that is undefined", { a: 1, b: undefined }, { a: 1 }],
    ["a loop", loop, loop],
  ])("with %s", async (_, one, other) => {
    expect(await differs([one, other])).toBe(false);
  });

  test.each<[string, unknown, unknown]>([
    ["a number and its digits", { a: 1 }, { a: "1" }],
    ["0 and -0", 0, -0],
    ["null and undefined", null, undefined],
    ["arrays in another order", ["a", "b"], ["b", "a"]],
    ["a Set and an array", new Set([1]), [1]],
    ["Maps with another value", new Map([[1, 1]]), new Map([[1, 2]])],
    ["two moments", new Date(0), new Date(1)],
    ["two big numbers", 2n ** 60n, 2n ** 60n + 1n],
    ["two bytes", Buffer.from("a"), Buffer.from("b")],
    ["two errors", new Error("a"), new Error("b")],
    ["a number and a bigint", 1, 1n],
  ])("but not %s", async (_, one, other) => {
    expect(await differs([one, other])).toBe(true);
  });
});

describe("bad input", () => {
  const idle = () => ({ handle: () => {}, state: () => 0 });

  test.each<[unknown, unknown, unknown, RegExp]>([
    [{ handle: () => {} }, [initiated], {}, /requires a function that returns a new/],
    [() => {}, [initiated], {}, /new \{ handle\(event\), state\(\) \}/],
    [(one: unknown) => one, [initiated], {}, /new \{ handle/],
    [idle, [], {}, /a list with at least one event/],
    [idle, undefined, {}, /a list with at least one event/],
    [idle, [initiated], { time: 1 }, /no option "time"/],
    [idle, [initiated], { times: 0 }, /`times` must be a whole number from 1 to .*; got 0/],
    [idle, [initiated], { times: 1.5 }, /`times` .* got 1\.5/],
    [idle, [initiated], { maxRuns: 0 }, /`maxRuns` must be a whole number from 1 to .*; got 0/],
  ])(
    "%# throws a ConfigurationError that says what is required",
    async (fresh, events, options, message) => {
      const wrong = explore(
        fresh as typeof idle,
        events as WebhookEvent[],
        options as ExploreOptions,
      );
      await expect(wrong).rejects.toThrow(ConfigurationError);
      await expect(wrong).rejects.toThrow(message);
    },
  );

  test.each<[number, ExploreOptions, string]>([
    [5, {}, "10000"],
    [3, { maxRuns: 221 }, "221"],
    [8, { times: 1 }, "10000"],
    [500, {}, "10000"],
  ])("%i events are too many with %j, and no order is tried", async (count, options, many) => {
    let runs = 0;
    const fresh = () => {
      runs++;
      return idle();
    };
    const tooMany = explore(fresh, Array(count).fill(initiated), options);
    await expect(tooMany).rejects.toThrow(ConfigurationError);
    await expect(tooMany).rejects.toThrow(`have more than ${many} orders`);
    await expect(tooMany).rejects.toThrow("`times: 1`");
    expect(runs).toBe(0);
  });
});
