import { describe, expect, test, vi } from "vitest";
import type { Ended } from "../../../src/webhooks/inbox/lease-worker.ts";
import { endOfTurn, ends, inVirtualTime, leaseOf, workOn } from "./lease-worker.ts";

inVirtualTime();

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
