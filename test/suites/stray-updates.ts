import { expect, it } from "vitest";
import { keepSteps, resolveSteps, strayStateSteps } from "../../src/checkout/orders/order-steps.ts";
import type { OrderStatement } from "../../src/checkout/orders/tables.ts";
import type { PaymentUpdate } from "../../src/checkout/rules/inputs.ts";
import type { Tables } from "../../src/storage/room.ts";
import type { Steps } from "../../src/storage/sql-steps.ts";

/** The tables of orders, as two processes have them. */
export interface TwoProcesses {
  readonly tables: Tables<OrderStatement>;
  /** Begins a transaction of the other process. Its writes are not committed before `commit`. */
  begin(): Promise<{ readonly transaction: unknown; commit(): unknown }>;
  /** Waits until a transaction waits for a lock. */
  untilOneWaits(): Promise<unknown>;
}

const REFERENCE = "PAY-1";

const update = (status: string): PaymentUpdate => ({
  ...{ reference: REFERENCE, status, amount: "100.00", currency: "KES" },
  ...{ message: undefined, retry: "unknown" },
});

function* reportSteps(): Steps<OrderStatement, { status?: string; decided?: { by?: string } }> {
  const [row] = (yield ["stray", { reference: REFERENCE }]).rows;
  return JSON.parse(String(row?.report));
}

/** Two processes learn something of a payment whose order is not known, at the same moment. */
export function strayUpdatesSuite(name: string, fresh: () => Promise<TwoProcesses>): void {
  const keep = (status: string) => () => keepSteps(update(status), status === "completed", false);

  /** Both have read what is stored before one of them has written. The first one writes first. */
  const atOnce = async <Second>(
    { tables, begin, untilOneWaits }: TwoProcesses,
    first: () => Steps<OrderStatement, unknown>,
    second: () => Steps<OrderStatement, Second>,
  ): Promise<Second> => {
    const { transaction, commit } = await begin();
    await tables.within(transaction, first);
    const waiting = tables.transaction(second);
    await untilOneWaits();
    await commit();
    return waiting;
  };

  it.each([["nothing"], ["failed"], ["pending"]])(
    `${name}: a payment that is completed stays so if another process reports a failure at the same moment; stored before: %s`,
    async (before) => {
      const two = await fresh();
      if (before !== "nothing") await two.tables.transaction(keep(before));
      expect(await atOnce(two, keep("completed"), keep("failed"))).toBe("known");
      expect(await two.tables.run(reportSteps)).toMatchObject({ status: "completed" });
    },
  );

  it(`${name}: a completed payment that two processes report at the same moment is new to one of them`, async () => {
    const two = await fresh();
    await two.tables.transaction(keep("failed"));
    expect(await atOnce(two, keep("completed"), keep("completed"))).toBe("known");
  });

  it(`${name}: who has decided about a payment is known although it is reported again at the same moment`, async () => {
    const two = await fresh();
    await two.tables.transaction(keep("completed"));
    const decided = { decision: "refunded", by: "Amina", lines: [] } as const;
    await atOnce(two, () => resolveSteps(REFERENCE, decided), keep("failed"));
    const known = await two.tables.run(() => strayStateSteps(REFERENCE));
    expect(known).toMatchObject({ decision: "refunded", decided: { by: "Amina" } });
  });

  it(`${name}: a payment is decided by one of two people at the same moment, and keeps what is reported then`, async () => {
    const two = await fresh();
    await two.tables.transaction(keep("completed"));
    const decide = (by: string) => () =>
      resolveSteps(REFERENCE, { decision: "refunded", by, lines: [] });
    expect(await atOnce(two, decide("Amina"), decide("Brian"))).toBe(false);
    expect(await two.tables.run(reportSteps)).toMatchObject({
      status: "completed",
      decided: { by: "Amina" },
    });
  });
}
