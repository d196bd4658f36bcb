import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type GroupOptions, Groups } from "../../../../src/webhooks/inbox/pg-boss/groups.ts";
import { until } from "../../../suites/inbox-stage.ts";

/** Groups of texts, which give each item in upper case, and the groups that ran. */
function groupsOf(options: Partial<GroupOptions<string, string>> = {}) {
  const ran: string[][] = [];
  const groups = new Groups<string, string>({
    run: async (items) => {
      ran.push([...items]);
      await sleep(5);
      if (items.includes("bad")) throw new Error("bad");
      return items.map((item) => item.toUpperCase());
    },
    idOf: (item) => item,
    maxItems: 3,
    timeoutMs: 10_000,
    timeoutError: () => new Error("late"),
    ...options,
  });
  return { ran, groups };
}

describe("Groups", () => {
  test("run what comes together as one group, sorted, with one result for each item", async () => {
    const { ran, groups } = groupsOf();
    const results = await Promise.all(["c", "a", "b"].map((item) => groups.run(item)));
    expect(results).toEqual(["C", "A", "B"]);
    expect(ran).toEqual([["a", "b", "c"]]);
  });

  test("run what comes meanwhile as the next group, no more than so many items at once", async () => {
    const { ran, groups } = groupsOf();
    const first = groups.run("first");
    await sleep(2);
    await Promise.all([first, ...["e", "d", "c", "b"].map((item) => groups.run(item))]);
    expect(ran).toEqual([["first"], ["c", "d", "e"], ["b"]]);
  });

  test("have no more bytes than so many, and one item at least", async () => {
    const { ran, groups } = groupsOf({ bytesOf: (item) => item.length, maxBytes: 4 });
    await Promise.all(["long one", "ab", "cd", "e"].map((item) => groups.run(item)));
    expect(ran).toEqual([["long one"], ["ab", "cd"], ["e"]]);
  });

  test("have an id once: the second one comes in a later group", async () => {
    const { ran, groups } = groupsOf();
    await Promise.all(["a", "a", "b"].map((item) => groups.run(item)));
    expect(ran).toEqual([["a", "b"], ["a"]]);
  });

  test("run at the same time, where that is allowed", async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const started: string[] = [];
    const { groups } = groupsOf({
      parallel: 2,
      run: async (items) => {
        started.push(...items);
        await gate;
        return items;
      },
    });
    const first = groups.run("a");
    await until(() => started.length === 1);
    const second = groups.run("b");
    await until(() => started.length === 2);
    open();
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
  });

  test("that fail because of one item are done again one by one", async () => {
    const { ran, groups } = groupsOf({ isOfOneItem: (error) => String(error).includes("bad") });
    const results = await Promise.allSettled(["a", "bad", "c"].map((item) => groups.run(item)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(ran).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
  });

  test("that fail for another reason fail as a whole", async () => {
    const { ran, groups } = groupsOf();
    const results = await Promise.allSettled(["a", "bad"].map((item) => groups.run(item)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(ran).toHaveLength(1);
    expect(await groups.run("c")).toBe("C");
  });

  test("that do not end do not hold up the next one", async () => {
    const { groups } = groupsOf({
      timeoutMs: 20,
      run: (items) => (items.includes("a") ? new Promise(() => {}) : Promise.resolve(items)),
    });
    const first = groups.run("a").catch(String);
    await sleep(5);
    expect(await groups.run("b")).toBe("b");
    expect(await first).toBe("Error: late");
  });
});
