import { describe, expect, test } from "vitest";
import { type GroupOptions, Groups } from "../../../src/webhooks/inbox/groups.ts";

/** Groups of texts: a text is its own key, up to the first space. */
function groupsOf(options: Partial<GroupOptions<string, string>> = {}) {
  const done: string[][] = [];
  const groups = new Groups<string, string>({
    run: async (items) => {
      done.push([...items]);
      await new Promise((resolve) => setImmediate(resolve));
      return items.map((item) => `${item}!`);
    },
    keyOf: (item) => item.split(" ")[0] as string,
    bytesOf: (item) => item.length,
    isWorthRetrying: () => true,
    timeoutMs: 1_000,
    timeoutError: () => new Error("too slow"),
    ...options,
  });
  return { groups, done };
}

describe("groups", () => {
  test("are what came while the last one was under way", async () => {
    const { groups, done } = groupsOf();
    const results = await Promise.all(["a", "b", "c"].map((item) => groups.add(item)));
    expect(results).toEqual(["a!", "b!", "c!"]);
    expect(await groups.add("d")).toBe("d!");
    expect(done).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  test("have each key once, in the order of arrival", async () => {
    const { groups, done } = groupsOf();
    await Promise.all(["0", "a 1", "a 2", "b 1", "a 3"].map((item) => groups.add(item)));
    expect(done).toEqual([["0"], ["a 1", "b 1"], ["a 2"], ["a 3"]]);
  });

  test("have at most 100 items and 1 MiB, or one that is larger", async () => {
    const { groups, done } = groupsOf();
    const many = Array.from({ length: 151 }, (_, at) => `${at}`);
    const large = ["x", "y", "z"].map((letter) => letter.repeat(700_000));
    const huge = "h".repeat(2_000_000);
    await Promise.all([...many, ...large, huge].map((item) => groups.add(item)));
    expect(done.map(({ length }) => length)).toEqual([1, 100, 51, 1, 1, 1]);
  });

  test("that fail are done one by one, and only what fails alone is rejected", async () => {
    const { groups } = groupsOf({
      run: async (items) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (items.includes("bad")) throw new Error("bad item");
        return items.map((item) => `${item}!`);
      },
    });
    const results = await Promise.allSettled(
      ["0", "a", "bad", "b"].map((item) => groups.add(item)),
    );
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("are all rejected where trying again is not worth it, and by the end of their time", async () => {
    let runs = 0;
    const { groups } = groupsOf({
      run: () => {
        runs++;
        return new Promise(() => {});
      },
      isWorthRetrying: () => false,
      timeoutMs: 5,
    });
    const results = await Promise.allSettled(["0", "a", "b"].map((item) => groups.add(item)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(runs).toBe(2);
  });
});
