import { expect, test } from "vitest";
import { sellTickets } from "./support/ticket-sale.ts";
import { ticketSuite } from "./support/ticket-suite.ts";

// As many as make each hard state certain. A great sale: CAMPAIGN=all npx vitest run test/docs/examples-tickets.long.test.ts
const isGreat = process.env.CAMPAIGN === "all";
ticketSuite(isGreat ? { customers: 500, seats: 50 } : { customers: 150, seats: 20 });

test("a shop that does not ask whether a seat is free sells seats twice", async () => {
  const { orders, seats } = await sellTickets("SQLite", "", {
    customers: 24,
    seats: 6,
    changes: [["order_id = ?1 OR order_id IS NULL", "true"]],
  });
  const sold = new Set(seats.flatMap((one) => (one.sold ? one.order_id : [])));
  const withoutSeat = orders.filter(({ id, effect }) => effect === "done" && !sold.has(id));
  expect(withoutSeat.length).toBeGreaterThan(0);
});
