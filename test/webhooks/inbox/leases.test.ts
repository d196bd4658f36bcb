import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Job } from "../../../src/webhooks/inbox/contract.ts";
import {
  type Ended,
  type Lease,
  type LeaseStore,
  startLeaseWorker,
} from "../../../src/webhooks/inbox/leases.ts";

const leaseOf = (token: string): Lease => ({
  key: `key of ${token}`,
  raw: Buffer.from(token),
  attempt: 1,
  token,
});

const ends = (as: "done" | "released", ...tokens: string[]) =>
  tokens.map((token) => ({ lease: leaseOf(token), as }));

/** A run that a test ends. */
interface Run {
  readonly job: Job;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** A worker over a store that keeps a list of what is due, and of what it was asked. */
function workOn(given: Partial<LeaseStore> & { due?: string[]; concurrency?: number } = {}) {
  const { due = [], concurrency = 2, ...methods } = given;
  const turns: [ended: readonly Ended[], count: number][] = [];
  const renewals: (readonly string[])[] = [];
  const runs: Record<string, Run> = {};
  const onError = vi.fn();
  const store: LeaseStore = {
    turn: (ended, count) => {
      turns.push([ended, count]);
      return due.splice(0, count).map(leaseOf);
    },
    renew: (tokens) => {
      renewals.push(tokens);
      return [];
    },
    nextDueInMs: () => Number.POSITIVE_INFINITY,
    ...methods,
  };
  const run = (job: Job) =>
    new Promise<void>((done, fail) => {
      runs[Buffer.from(job.raw).toString()] = { job, done, fail };
    });
  const pace = { leaseMs: 3_000, backoffMs: () => 0 };
  const worker = startLeaseWorker(store, { run, concurrency, onError }, pace);
  return {
    ...worker,
    due,
    turns,
    renewals,
    onError,
    run: (token: string) => runs[token] as Run,
    /** The looks since the last time this was asked. */
    looks: () => turns.splice(0),
  };
}

/** Lets what is done in this turn of the event loop, and right after it, happen. */
const endOfTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a lease worker looks", () => {
  test("at once, and then every half second where nothing falls due", () => {
    const worker = workOn();
    expect(worker.looks()).toEqual([[[], 2]]);
    vi.advanceTimersByTime(499);
    expect(worker.looks()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(worker.looks()).toEqual([[[], 2]]);
    vi.advanceTimersByTime(500);
    expect(worker.looks()).toEqual([[[], 2]]);
  });

  test("when the next falls due, and no sooner", () => {
    const worker = workOn({ nextDueInMs: () => 30 });
    worker.looks();
    vi.advanceTimersByTime(29);
    expect(worker.looks()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(worker.looks()).toEqual([[[], 2]]);
  });

  test("no sooner than every half second for what falls due later", () => {
    const worker = workOn({ nextDueInMs: () => 60_000 });
    worker.looks();
    vi.advanceTimersByTime(500);
    expect(worker.looks()).toHaveLength(1);
  });

  test("for nothing that is due while its hands are full", () => {
    const worker = workOn({ due: ["a", "b", "c"], nextDueInMs: () => 0 });
    expect(worker.looks()).toEqual([[[], 2]]);
    vi.advanceTimersByTime(499);
    expect(worker.looks()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(worker.looks()).toEqual([[[], 0]]);
    expect(worker.due).toEqual(["c"]);
  });

  test("when it is told to, and half a second after that", () => {
    const worker = workOn();
    vi.advanceTimersByTime(400);
    worker.looks();
    worker.look();
    expect(worker.looks()).toEqual([[[], 2]]);
    vi.advanceTimersByTime(499);
    expect(worker.looks()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(worker.looks()).toEqual([[[], 2]]);
  });
});

describe("how work ends", () => {
  test("is written once, by the end of that turn of the event loop, and as many are taken", async () => {
    const worker = workOn({ due: ["a", "b", "c", "d"], concurrency: 3 });
    worker.looks();
    worker.run("a").done();
    await endOfTurn();
    expect(worker.looks()).toEqual([[ends("done", "a"), 1]]);
    const error = new Error("no stock");
    worker.run("c").fail(error);
    await endOfTurn();
    expect(worker.looks()).toEqual([[[{ lease: leaseOf("c"), as: "failed", error }], 1]]);
    vi.advanceTimersByTime(500);
    expect(worker.looks()).toEqual([[[], 1]]);
  });

  test("is written together where it ends together", async () => {
    const worker = workOn({ due: ["a", "b"] });
    worker.looks();
    for (const token of ["a", "b"]) worker.run(token).done();
    await endOfTurn();
    expect(worker.looks()).toEqual([[ends("done", "a", "b"), 2]]);
  });

  test("waits while the store is busy with what comes in, which then has it look", async () => {
    let busy = true;
    const worker = workOn({ due: ["a"], isBusy: () => busy });
    worker.looks();
    worker.run("a").done();
    await endOfTurn();
    expect(worker.looks()).toEqual([]);
    busy = false;
    worker.look();
    expect(worker.looks()).toEqual([[ends("done", "a"), 2]]);
  });

  test("is written soon where there is no setImmediate, too", async () => {
    const turn = setImmediate;
    vi.stubGlobal("setImmediate", undefined);
    const worker = workOn({ due: ["a"] });
    worker.looks();
    worker.run("a").done();
    await new Promise((resolve) => turn(resolve));
    expect(worker.onError).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(worker.looks()).toEqual([[ends("done", "a"), 2]]);
  });

  test("is kept while the store fails, which is told and tried again after two seconds", async () => {
    const gone = new Error("disk gone");
    let failures = 0;
    const asked: (readonly Ended[])[] = [];
    const worker = workOn({
      turn: (ended, count) => {
        asked.push(ended);
        if (failures-- > 0) throw gone;
        return asked.length === 1 ? ["a", "b"].slice(0, count).map(leaseOf) : [];
      },
    });
    failures = 1;
    worker.run("a").done();
    await endOfTurn();
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    vi.advanceTimersByTime(1_999);
    expect(asked).toEqual([[], ends("done", "a")]);
    vi.advanceTimersByTime(1);
    expect(asked).toEqual([[], ends("done", "a"), ends("done", "a")]);
    vi.advanceTimersByTime(500);
    expect(asked.at(-1)).toEqual([]);
    expect(worker.onError).toHaveBeenCalledTimes(1);
  });
});

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
