import { describe, expect, test, vi } from "vitest";
import type { LeaseStore } from "../../../src/webhooks/inbox/lease-store.ts";
import { endOfTurn, ends, inVirtualTime, workOn } from "./lease-worker.ts";

inVirtualTime();

describe("leases", () => {
  test("are renewed three times in their length, while their jobs run", async () => {
    const worker = await workOn({ due: ["a", "b"] });
    await vi.advanceTimersByTimeAsync(1_000);
    worker.run("a").done();
    await endOfTurn();
    await vi.advanceTimersByTimeAsync(1_000);
    worker.run("b").done();
    await endOfTurn();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(worker.renewals).toEqual([["a", "b"], ["b"]]);
  });

  test("that are lost abort their jobs, and their end is not written", async () => {
    const asked: (readonly string[])[] = [];
    const renew = (tokens: readonly string[]) => {
      asked.push(tokens);
      return tokens.filter((token) => token === "a");
    };
    const worker = await workOn({ due: ["a", "b"], renew });
    await vi.advanceTimersByTimeAsync(1_000);
    const [a, b] = [worker.run("a"), worker.run("b")];
    expect(String(a.job.signal.reason)).toBe(
      "Error: The lease was lost: another process has this event now.",
    );
    expect(b.job.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual([["a", "b"], ["b"]]);
    worker.polls();
    a.fail(a.job.signal.reason);
    await endOfTurn();
    expect(worker.polls()).toEqual([[[], 1]]);
  });

  test("that cannot be renewed are renewed later, and the failure is reported", async () => {
    const gone = new Error("disk gone");
    let times = 0;
    const renew = () => {
      if (++times === 1) throw gone;
      return [];
    };
    const worker = await workOn({ due: ["a"], renew });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(times).toBe(2);
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    expect(worker.run("a").job.signal.aborted).toBe(false);
  });
});

describe("a job", () => {
  test("has the fields of the lease, and a transaction only if the store supports it", async () => {
    const { job } = (await workOn({ due: ["a"] })).run("a");
    const { signal, ...rest } = job;
    expect(rest).toEqual({ key: "key of a", raw: Buffer.from("a"), attempt: 1 });
    expect(signal.aborted).toBe(false);
    expect(Object.keys(job)).not.toContain("transaction");
  });

  const transaction: LeaseStore["transaction"] =
    ({ token }) =>
    async (write) =>
      write(token as never);

  test.each(["done", "fail"] as const)(
    "whose transaction has committed writes no other end: %s",
    async (how) => {
      const worker = await workOn({ due: ["a"], transaction });
      const { job, ...run } = worker.run("a");
      expect(await job.transaction?.((connection) => [connection])).toEqual(["a"]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(worker.renewals).toEqual([]);
      worker.polls();
      run[how](new Error("afterwards"));
      await endOfTurn();
      expect(worker.polls()).toEqual([[[], 2]]);
    },
  );

  test("whose transaction failed writes its end as usual", async () => {
    const worker = await workOn({ due: ["a"], transaction });
    const { job, done } = worker.run("a");
    const write = () => Promise.reject(new Error("taken back"));
    await expect(job.transaction?.(write)).rejects.toThrow("taken back");
    worker.polls();
    done();
    await endOfTurn();
    expect(worker.polls()).toEqual([[ends("done", "a"), 2]]);
  });
});

describe("stop", () => {
  test("takes no new delivery, writes what ends, and leaves no timer", async () => {
    const worker = await workOn({ due: ["a", "b", "c"] });
    worker.polls();
    let stopped = false;
    const stopping = worker.stop(10_000).then(() => {
      stopped = true;
    });
    worker.run("a").done();
    await endOfTurn();
    expect(worker.polls()).toEqual([[ends("done", "a"), 0]]);
    expect(stopped).toBe(false);
    worker.run("b").done();
    await stopping;
    expect(worker.polls()).toEqual([[ends("done", "b"), 0]]);
    expect(worker.run("b").job.signal.aborted).toBe(false);
    expect(worker.due).toEqual(["c"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("hands back and aborts what has not ended in time, and writes nothing of it later", async () => {
    const worker = await workOn({ due: ["a"] });
    worker.polls();
    const stopping = worker.stop(100);
    await vi.advanceTimersByTimeAsync(99);
    await endOfTurn();
    expect(worker.polls()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await stopping;
    expect(worker.polls()).toEqual([[ends("released", "a"), 0]]);
    expect(String(worker.run("a").job.signal.reason)).toBe("Error: The receiver was stopped.");
    worker.run("a").done();
    await endOfTurn();
    worker.poll();
    expect(worker.polls()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not hand back a lost lease or a committed one", async () => {
    const worker = await workOn({
      due: ["lost", "committed"],
      renew: () => ["lost"],
      transaction: () => async (write) => write(undefined as never),
    });
    await worker.run("committed").job.transaction?.(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    worker.polls();
    const stopping = worker.stop(10);
    await vi.advanceTimersByTimeAsync(10);
    await stopping;
    expect(worker.polls()).toEqual([[[], 0]]);
    expect(String(worker.run("committed").job.signal.reason)).toContain("stopped");
  });

  test("ends although the store fails, which is reported", async () => {
    const gone = new Error("disk gone");
    let fails = false;
    const worker = await workOn({
      turn: () => {
        if (fails) throw gone;
        return [];
      },
    });
    fails = true;
    await worker.stop(10);
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
