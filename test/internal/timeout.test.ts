import { expect, test } from "vitest";
import { sleep, waitAtMost, withTimeout } from "../../src/internal/timeout.ts";

const never = () => new Promise<never>(() => {});

test("a promise that ends in time resolves with its result", async () => {
  await expect(withTimeout(Promise.resolve(1), 10_000, () => new Error("late"))).resolves.toBe(1);
  await expect(
    withTimeout(Promise.reject(new Error("broken")), 10_000, () => new Error("late")),
  ).rejects.toThrow("broken");
});

test("a promise that takes longer rejects with the given error", async () => {
  await expect(withTimeout(never(), 1, () => new Error("late"))).rejects.toThrow("late");
});

test("waitAtMost tells whether the promise ended in time", async () => {
  await expect(waitAtMost(Promise.resolve(), 10_000)).resolves.toBe(true);
  await expect(waitAtMost(never(), 1)).resolves.toBe(false);
});

test("a sleep ends at once when its signal aborts", async () => {
  const controller = new AbortController();
  const slept = sleep(1_000_000, controller.signal);
  controller.abort();
  await expect(slept).resolves.toBe(false);
  await expect(sleep(1_000_000, controller.signal)).resolves.toBe(false);
  await expect(sleep(1)).resolves.toBe(true);
});
