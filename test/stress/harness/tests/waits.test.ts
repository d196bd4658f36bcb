import { expect, test } from "vitest";
import { forEachConcurrently, Progress, waitFor } from "../waits.ts";

const never = new Promise<never>(() => {});

test("a wait that does not end rejects, and names what it waited for", async () => {
  await expect(waitFor(never, () => "the engine to restart", 20)).rejects.toThrow(
    "The campaign stands still. It waited 0.02 s for the engine to restart.",
  );
});

test("a wait ends with what it waits for", async () => {
  await expect(waitFor(Promise.resolve("well"), () => "nothing")).resolves.toBe("well");
  await expect(waitFor(Promise.reject(new Error("no")), () => "nothing")).rejects.toThrow("no");
});

test("a wait for a count ends when it is reached, or with the end of the progress", async () => {
  const progress = new Progress();
  const second = progress.reached(2);
  const third = progress.reached(3);
  progress.add();
  progress.add();
  await expect(second).resolves.toBe(true);
  progress.end();
  await expect(third).resolves.toBe(false);
  await expect(progress.reached(1)).resolves.toBe(true);
});

test("at most the given number of items are worked on at once, each of them once", async () => {
  const begun: number[] = [];
  let now = 0;
  let most = 0;
  await forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});
