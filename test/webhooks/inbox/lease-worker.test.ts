import { describe, expect, test, vi } from "vitest";
import type { LeaseStore } from "../../../src/webhooks/inbox/lease-worker.ts";
import { endOfTurn, ends, inVirtualTime, workOn } from "./lease-worker.ts";

inVirtualTime();

describe("leases", () => {
  test("are renewed in thirds of their length, while they are worked", async () => {
    const worker = workOn({ due: ["a", "b"] });
    vi.advanceTimersByTime(1_000);
    worker.run("a").done();
    await endOfTurn();
    vi.advanceTimersByTime(1_000);
    worker.run("b").done();
    await endOfTurn();
    vi.advanceTimersByTime(5_000);
    expect(worker.renewals).toEqual([["a", "b"], ["b"]]);
  });

  test("that are lost abort the work, whose end is written no more", async () => {
    const asked: (readonly string[])[] = [];
    const renew = (tokens: readonly string[]) => {
      asked.push(tokens);
      return tokens.filter((token) => token === "a");
    };
    const worker = workOn({ due: ["a", "b"], renew });
    vi.advanceTimersByTime(1_000);
    const [a, b] = [worker.run("a"), worker.run("b")];
    expect(String(a.job.signal.reason)).toBe(
      "Error: The lease was lost: another process works this event.",
    );
    expect(b.job.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(asked).toEqual([["a", "b"], ["b"]]);
    worker.looks();
    a.fail(a.job.signal.reason);
    await endOfTurn();
    expect(worker.looks()).toEqual([[[], 1]]);
  });

  test("that cannot be renewed are renewed later, and the store is told of", () => {
    const gone = new Error("disk gone");
    let times = 0;
    const renew = () => {
      if (++times === 1) throw gone;
      return [];
    };
    const worker = workOn({ due: ["a"], renew });
    vi.advanceTimersByTime(2_000);
    expect(times).toBe(2);
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    expect(worker.run("a").job.signal.aborted).toBe(false);
  });
});

describe("a job", () => {
  test("is what the lease says, with a transaction only where the store has such", () => {
    const { job } = workOn({ due: ["a"] }).run("a");
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
    "whose transaction has written done has nothing more to write: %s",
    async (how) => {
      const worker = workOn({ due: ["a"], transaction });
      const { job, ...run } = worker.run("a");
      expect(await job.transaction?.((connection) => [connection])).toEqual(["a"]);
      vi.advanceTimersByTime(1_000);
      expect(worker.renewals).toEqual([]);
      worker.looks();
      run[how](new Error("afterwards"));
      await endOfTurn();
      expect(worker.looks()).toEqual([[[], 2]]);
    },
  );

  test("whose transaction fails is the worker's still", async () => {
    const worker = workOn({ due: ["a"], transaction });
    const { job, done } = worker.run("a");
    const write = () => Promise.reject(new Error("taken back"));
    await expect(job.transaction?.(write)).rejects.toThrow("taken back");
    worker.looks();
    done();
    await endOfTurn();
    expect(worker.looks()).toEqual([[ends("done", "a"), 2]]);
  });
});

describe("stop", () => {
  test("takes nothing new, writes what ends, and leaves no timer behind", async () => {
    const worker = workOn({ due: ["a", "b", "c"] });
    worker.looks();
    let stopped = false;
    const stopping = worker.stop(10_000).then(() => {
      stopped = true;
    });
    worker.run("a").done();
    await endOfTurn();
    expect(worker.looks()).toEqual([[ends("done", "a"), 0]]);
    expect(stopped).toBe(false);
    worker.run("b").done();
    await stopping;
    expect(worker.looks()).toEqual([[ends("done", "b"), 0]]);
    expect(worker.run("b").job.signal.aborted).toBe(false);
    expect(worker.due).toEqual(["c"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("hands back what has not ended in time, aborts it, and writes nothing of it later", async () => {
    const worker = workOn({ due: ["a"] });
    worker.looks();
    const stopping = worker.stop(100);
    vi.advanceTimersByTime(99);
    await endOfTurn();
    expect(worker.looks()).toEqual([]);
    vi.advanceTimersByTime(1);
    await stopping;
    expect(worker.looks()).toEqual([[ends("released", "a"), 0]]);
    expect(String(worker.run("a").job.signal.reason)).toBe("Error: The receiver was stopped.");
    worker.run("a").done();
    await endOfTurn();
    worker.look();
    expect(worker.looks()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("hands back nothing that another works, or that is done", async () => {
    const worker = workOn({
      due: ["lost", "committed"],
      renew: () => ["lost"],
      transaction: () => async (write) => write(undefined as never),
    });
    await worker.run("committed").job.transaction?.(() => {});
    vi.advanceTimersByTime(1_000);
    worker.looks();
    const stopping = worker.stop(10);
    vi.advanceTimersByTime(10);
    await stopping;
    expect(worker.looks()).toEqual([[[], 0]]);
    expect(String(worker.run("committed").job.signal.reason)).toContain("stopped");
  });

  test("is not held up by a store that fails: it is told", async () => {
    const gone = new Error("disk gone");
    let fails = false;
    const worker = workOn({
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
