import { DatabaseSync } from "node:sqlite";
import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { expect, test, vi } from "vitest";
import { reconcileOrders } from "../../examples/reconcile/reconcile.ts";

test("the example of a cron job closes only the orders whose payments are final", async () => {
  const sandbox = createSandbox();
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
  const references: string[] = [];
  for (const phone of ["0712000301", "0712000302", "0712000303"]) {
    references.push((await gateway.mobileMoney.initiate({ amount: 10, phone })).reference);
  }
  sandbox.phone("0712000301").approve();
  sandbox.phone("0712000302").cancel();
  const orders = new DatabaseSync(":memory:");
  orders.exec("CREATE TABLE orders (reference TEXT PRIMARY KEY, state TEXT NOT NULL)");
  const add = orders.prepare("INSERT INTO orders VALUES (?, 'open')");
  for (const reference of [...references, "PAY-not-known"]) add.run(reference);

  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const count = await reconcileOrders(gateway, orders);
  expect(count).toEqual({ paid: 1, unpaid: 1, open: 1, look: 1 });
  expect(logged.mock.calls.join()).toContain("PAY-not-known");
  logged.mockRestore();
  const states = orders.prepare("SELECT state FROM orders ORDER BY rowid").all();
  expect(states.map(({ state }) => state)).toEqual(["paid", "unpaid", "open", "open"]);
});
