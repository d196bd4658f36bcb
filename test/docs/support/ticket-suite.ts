import { expect, test } from "vitest";
import { sharedMysql, sharedPostgres } from "../../support/engines/shared.ts";
import { shopRows } from "../../support/shop-rows.ts";
import { type PLACES, type SaleSettings, sellTickets } from "./ticket-sale.ts";

type Name = keyof typeof PLACES;

const ENGINES: readonly (readonly [Name, () => Promise<{ readonly url: string } | undefined>])[] = [
  ["SQLite", async () => ({ url: "" })],
  ["PostgreSQL", sharedPostgres],
  ["MariaDB", sharedMysql],
];

/**
 * More customers than seats, on each engine: some do not pay, pay late, or are canceled.
 *
 * @param how - How the engines are tried: one after another, or at once.
 */
export function ticketSuite(
  { customers, seats }: SaleSettings,
  how: Pick<typeof test, "each"> = test,
): void {
  const note = shopRows(() => "Tickets");
  how.each(ENGINES)(
    `of ${customers} customers of three processes on %s, ${seats} get a seat, and what others paid is to be paid back`,
    async (name, engine) => {
      const { url } = (await engine()) ?? {};
      if (url === undefined) return;
      const sale = await sellTickets(name, url, { customers, seats });
      const { orders, printed } = sale;
      const idsWith = (effect: string) =>
        orders.filter((order) => order.effect === effect).map(({ id }) => id);

      const sold = sale.seats.filter((one) => one.sold);
      expect(sale.seats).toHaveLength(seats);
      // All of them, also those that were given back.
      expect(sold).toHaveLength(seats);
      expect(sold.map(({ order_id }) => order_id).sort()).toEqual(idsWith("done").sort());

      const refundDue = orders.filter(({ reviews }) =>
        reviews.some(({ kind }) => kind === "refund_due"),
      );
      const isRefused = ({ status, effect }: (typeof orders)[number]) =>
        effect === "refused" || (status === "canceled" && effect === "none");
      const paid = orders.filter(({ received }) => Number(received) > 0);
      expect(paid.filter(({ effect }) => effect !== "done").map(({ id }) => id)).toEqual(
        refundDue.map(({ id }) => id),
      );
      expect(refundDue.every(isRefused)).toBe(true);
      // Who pays in time has a seat, also at the second attempt.
      expect(idsWith("refused").filter((id) => !sale.late.has(id))).toEqual([]);
      expect(printed).not.toMatch(/onPaid|deadlock|unhandled/i);

      // What makes it hard has come.
      const canceled = orders.filter(({ status }) => status === "canceled").length;
      // Their seats were given back before.
      const refused = idsWith("refused").length;
      expect(Math.min(canceled, refused)).toBeGreaterThan(0);
      note(`${sold.length} seats sold, ${refundDue.length} refunds due, ${canceled} canceled`);
    },
  );
}
