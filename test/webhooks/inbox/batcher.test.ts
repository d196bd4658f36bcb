import type { NewDelivery, Receipt } from "malipo/types";
import { receiptFor } from "malipo/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Batcher } from "../../../src/webhooks/inbox/batcher.ts";
import { gateOf, newDelivery } from "../../suites/inbox-stage.ts";

const RECEIPT = receiptFor("accepted");
const accept = (batch: readonly NewDelivery[]) => batch.map(() => "accepted" as const);

describe("a batcher", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const endOfTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  /** A batcher whose first batch hangs until `open` is called. */
  function hanging(limits: ConstructorParameters<typeof Batcher>[1] = {}) {
    const batches: number[] = [];
    const [gate, open] = gateOf<void>();
    const batcher = new Batcher(async (batch) => {
      batches.push(batch.length);
      if (batches.length === 1) await gate;
      return accept(batch);
    }, limits);
    const add = (number: number, bytes = 1): Promise<Receipt | Error> =>
      batcher.add(newDelivery(number, { raw: Buffer.alloc(bytes) })).catch((error) => error);
    return { batches, open, add };
  }

  test("stores the deliveries together that came while the batch before was being stored", async () => {
    const { batches, open, add } = hanging();
    const first = add(1);
    await endOfTurn();
    const rest = [2, 3, 4].map((number) => add(number));
    open();
    expect(await Promise.all([first, ...rest])).toEqual([RECEIPT, RECEIPT, RECEIPT, RECEIPT]);
    expect(batches).toEqual([1, 3]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("tells each sender within five seconds, whatever the engine does", async () => {
    const { batches, open, add } = hanging();
    const first = add(1);
    await endOfTurn();
    vi.advanceTimersByTime(3_000);
    const second = add(2);
    vi.advanceTimersByTime(2_000);
    expect(String(await first)).toBe(
      "Error: The delivery was not stored within 5 s. It is not acknowledged: the service sends it again.",
    );
    vi.advanceTimersByTime(3_000);
    expect(await second).toBeInstanceOf(Error);
    const third = add(3);
    open();
    expect(await third).toEqual(RECEIPT);
    // The second one was over, so it was not stored.
    expect(batches).toEqual([1, 1]);
  });

  test("rejects what comes while too many bytes wait, and takes more as soon as there is room", async () => {
    const { open, add } = hanging({ waitingBytes: 1_000 });
    const first = add(1, 900);
    await endOfTurn();
    const waiting = [add(2, 600), add(3, 400)];
    expect(String(await add(4, 1))).toContain("Too many deliveries wait to be stored.");
    vi.advanceTimersByTime(5_000);
    for (const one of [first, ...waiting]) expect(await one).toBeInstanceOf(Error);
    const last = add(5, 1_000);
    open();
    expect(await last).toEqual(RECEIPT);
  });

  test("rejects the deliveries of a batch that failed, and stores the next one", async () => {
    let failures = 1;
    const batcher = new Batcher(async (batch) => {
      if (failures-- > 0) throw new Error("disk gone");
      return accept(batch);
    });
    const both = [1, 2].map((number) => batcher.add(newDelivery(number)));
    for (const one of both) await expect(one).rejects.toThrow("disk gone");
    expect(await batcher.add(newDelivery(3))).toEqual(RECEIPT);
  });

  test("takes nothing that an engine throws for a receipt", async () => {
    const batcher = new Batcher(() => Promise.reject("accepted"));
    await expect(batcher.add(newDelivery(1))).rejects.toBe("accepted");
  });

  test("rejects only the deliveries of a batch that could not be stored", async () => {
    const failed = new Error("out of memory");
    const batcher = new Batcher(async () => ["conflict", failed]);
    const [first, second] = [1, 2].map((number) => batcher.add(newDelivery(number)));
    expect(await first).toEqual(receiptFor("conflict"));
    await expect(second).rejects.toBe(failed);
  });
});
