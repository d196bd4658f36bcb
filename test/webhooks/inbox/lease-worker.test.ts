import { describe, expect, test, vi } from "vitest";
import type { LeaseChanges, LeaseStore } from "../../../src/webhooks/inbox/lease-store.ts";
import { endOfTurn, ends, inVirtualTime, leaseOf, workOn } from "./lease-worker.ts";

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
    const extend = (tokens: readonly string[]) => {
      asked.push(tokens);
      return {
        kept: tokens.filter((token) => token !== "a"),
        lost: tokens.filter((token) => token === "a"),
      };
    };
    const worker = await workOn({ due: ["a", "b"], extend });
    await vi.advanceTimersByTimeAsync(1_000);
    const [a, b] = [worker.run("a"), worker.run("b")];
    expect(String(a.job.signal.reason)).toContain('The lease of the event "key of a" was lost');
    expect(worker.onError.mock.calls).toEqual([[a.job.signal.reason]]);
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
    const extend = (kept: readonly string[]) => {
      if (++times === 1) throw gone;
      return { kept, lost: [] };
    };
    const worker = await workOn({ due: ["a"], extend });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(times).toBe(2);
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    expect(worker.run("a").job.signal.aborted).toBe(false);
  });

  test("that were not renewed while their transaction ended are asked for when their jobs end", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    let isEnding = true;
    const extend = (lost: readonly string[]) =>
      isEnding ? { kept: [], lost: [] } : { kept: [], lost };
    const worker = await workOn({ due: ["a"], extend });
    now.mockReturnValue(4_000);
    await vi.advanceTimersByTimeAsync(1_000);
    isEnding = false;
    worker.run("a").fail(new Error("The transaction has failed."));
    await endOfTurn();
    now.mockRestore();
    expect(String(worker.onError.mock.calls)).toContain('"key of a" was lost: another process');
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

  test("whose transaction failed has failed, whatever its handler resolved with", async () => {
    const worker = await workOn({ due: ["a"], transaction });
    const { job, done } = worker.run("a");
    const write = () => Promise.reject(new Error("taken back"));
    await expect(job.transaction?.(write)).rejects.toThrow("taken back");
    worker.polls();
    done();
    await endOfTurn();
    const failed = { as: "failed", error: "Error: taken back" };
    expect(worker.polls()).toMatchObject([[[failed], 2]]);
  });
});

describe("many merchants", () => {
  /** A store whose deliveries have merchants: those of one merchant begin with its letter. */
  async function platform(due: string[], concurrency: number) {
    const claims: LeaseChanges["claim"][] = [];
    const worker = await workOn({
      due,
      concurrency,
      commit: ({ claim }) => {
        claims.push(claim);
        const isFree = (token: string) => !claim.busy.includes(token.charAt(0));
        const leased = due.filter(isFree).slice(0, claim.room());
        due.splice(0, due.length, ...due.filter((token) => !leased.includes(token)));
        const traceOf = (token: string) => ({ "malipo-merchant": token.charAt(0) });
        return leased.map((token) => ({ ...leaseOf(token), traceContext: traceOf(token) }));
      },
    });
    /** Which of the deliveries run or have run. */
    const begun = (...tokens: string[]) =>
      tokens.filter((token) => (worker.run(token) as unknown) !== undefined);
    return { worker, claims, begun };
  }

  test("have at most half of the places each, and the store learns which merchants wait", async () => {
    const { worker, claims, begun } = await platform(["a1", "a2", "a3", "a4", "b1"], 4);
    worker.poll();
    await endOfTurn();
    expect(begun("a1", "a2", "a3", "a4", "b1")).toEqual(["a1", "a2", "b1"]);
    expect(claims.map(({ busy }) => busy)).toEqual([[], ["a"]]);
    worker.run("a1").done();
    worker.run("b1").done();
    await endOfTurn();
    expect(begun("a3", "a4")).toEqual(["a3"]);
  });

  test("do not have their events leased before their own places are free", async () => {
    const { claims, begun } = await platform(["a1", "a2", "a3", "a4", "a5", "a6"], 4);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(begun("a1", "a2", "a3", "a4", "a5", "a6")).toEqual(["a1", "a2"]);
    // It looks past the events that wait four times a second, and not all the time.
    expect(claims.length).toBeGreaterThan(10);
    expect(claims.length).toBeLessThan(30);
    expect(claims.slice(1).every(({ busy }) => busy.join() === "a")).toBe(true);
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
      extend: () => ({ kept: ["committed"], lost: ["lost"] }),
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
      commit: () => {
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
