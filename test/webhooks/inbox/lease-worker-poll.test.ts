import { describe, expect, test, vi } from "vitest";
import type { LeaseChanges } from "../../../src/webhooks/inbox/lease-store.ts";
import {
  type EndedLease,
  endOfTurn,
  ends,
  endsIn,
  inVirtualTime,
  leaseOf,
  workOn,
} from "./lease-worker.ts";

inVirtualTime();

describe("a lease worker polls", () => {
  test("at once, and then every half second while nothing falls due", async () => {
    const worker = await workOn();
    expect(worker.polls()).toEqual([[[], 2]]);
    await vi.advanceTimersByTimeAsync(499);
    expect(worker.polls()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.polls()).toEqual([[[], 2]]);
    await vi.advanceTimersByTimeAsync(500);
    expect(worker.polls()).toEqual([[[], 2]]);
  });

  test("when the next delivery falls due, and not earlier", async () => {
    const worker = await workOn({ nextDueInMs: () => 30 });
    worker.polls();
    await vi.advanceTimersByTimeAsync(29);
    expect(worker.polls()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.polls()).toEqual([[[], 2]]);
  });

  test("every half second while the next delivery falls due later", async () => {
    const worker = await workOn({ nextDueInMs: () => 60_000 });
    worker.polls();
    await vi.advanceTimersByTimeAsync(500);
    expect(worker.polls()).toHaveLength(1);
  });

  test("for no new delivery while all its slots are taken", async () => {
    const worker = await workOn({ due: ["a", "b", "c"], nextDueInMs: () => 0 });
    expect(worker.polls()).toEqual([[[], 2]]);
    await vi.advanceTimersByTimeAsync(499);
    expect(worker.polls()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.polls()).toEqual([[[], 0]]);
    expect(worker.due).toEqual(["c"]);
  });

  test("when poll() is called, and half a second after that", async () => {
    const worker = await workOn();
    await vi.advanceTimersByTimeAsync(400);
    worker.polls();
    worker.poll();
    expect(worker.polls()).toEqual([[[], 2]]);
    await vi.advanceTimersByTimeAsync(499);
    expect(worker.polls()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.polls()).toEqual([[[], 2]]);
  });
});

describe("the end of a lease", () => {
  test("that comes while a turn is under way is written by the next turn", async () => {
    const due = ["a", "b"];
    const written: (readonly EndedLease[])[] = [];
    let finishTurn = () => {};
    let underWay = Promise.resolve();
    const commit = async (changes: LeaseChanges) => {
      written.push(endsIn(changes));
      await underWay;
      return due.splice(0, changes.claim.room()).map(leaseOf);
    };
    const worker = await workOn({ commit });
    underWay = new Promise((resolve) => {
      finishTurn = resolve;
    });
    for (const token of ["a", "b"]) {
      worker.run(token).done();
      await endOfTurn();
    }
    finishTurn();
    await endOfTurn();
    expect(written.flat()).toEqual(ends("done", "a", "b"));
  });

  test("is written once, at the end of that turn of the event loop, and frees a slot", async () => {
    const worker = await workOn({ due: ["a", "b", "c", "d"], concurrency: 3 });
    worker.polls();
    worker.run("a").done();
    await endOfTurn();
    expect(worker.polls()).toEqual([[ends("done", "a"), 1]]);
    worker.run("c").fail(new Error("no stock"));
    await endOfTurn();
    const failed = { as: "failed", error: "Error: no stock", retryInMs: 7 };
    expect(worker.polls()).toEqual([[[{ lease: leaseOf("c"), ...failed }], 1]]);
    await vi.advanceTimersByTimeAsync(500);
    expect(worker.polls()).toEqual([[[], 1]]);
  });

  test("is written together with others that end in the same turn", async () => {
    const worker = await workOn({ due: ["a", "b"] });
    worker.polls();
    for (const token of ["a", "b"]) worker.run(token).done();
    await endOfTurn();
    expect(worker.polls()).toEqual([[ends("done", "a", "b"), 2]]);
  });

  test("is written soon in a runtime without setImmediate", async () => {
    const turn = setImmediate;
    vi.stubGlobal("setImmediate", undefined);
    const worker = await workOn({ due: ["a"] });
    worker.polls();
    worker.run("a").done();
    await new Promise((resolve) => turn(resolve));
    expect(worker.onError).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(worker.polls()).toEqual([[ends("done", "a"), 2]]);
  });

  test("stays while the store fails, which is reported and retried after two seconds", async () => {
    const gone = new Error("disk gone");
    let failures = 0;
    const asked: (readonly EndedLease[])[] = [];
    const worker = await workOn({
      commit: (changes) => {
        asked.push(endsIn(changes));
        if (failures-- > 0) throw gone;
        return asked.length === 1 ? ["a", "b"].slice(0, changes.claim.room()).map(leaseOf) : [];
      },
    });
    failures = 1;
    worker.run("a").done();
    await endOfTurn();
    expect(worker.onError.mock.calls).toEqual([[gone]]);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked).toEqual([[], ends("done", "a")]);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toEqual([[], ends("done", "a"), ends("done", "a")]);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked.at(-1)).toEqual([]);
    expect(worker.onError).toHaveBeenCalledTimes(1);
  });
});
