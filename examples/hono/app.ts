// A shop on Hono: `deno serve app.ts`, or `serve(app)` of @hono/node-server.
import { Hono } from "hono";
import { createCheckout } from "malipo/checkout";
import { fetchHandler } from "malipo/fetch";
import { sqlite } from "malipo/sqlite";

const PRICES = new Map([["concert", 1500]]); // yours: a page only names an item
const ID = /^[\w-]{12,64}$/; // crypto.randomUUID() of the page: nobody can guess it

const checkout = createCheckout({
  store: sqlite(process.env.SHOP_DB ?? "shop.db"),
  // A crash between the line and "done" prints it again: in a shop, write the goods by `transaction`.
  onPaid: ({ id }) => console.log(`ship ${id}`),
});
const receive = fetchHandler(checkout.receiver);

await checkout.start();
const app = new Hono();
app.all("/webhooks", (c) => receive(c.req.raw)); // above everything that reads the body
app.post("/orders", async (c) => {
  const { order: id, item, phone, after } = await c.req.json();
  const amount = PRICES.get(item);
  if (amount === undefined || !ID.test(id)) return c.json({ message: "We do not sell that." }, 400);
  return c.json(await checkout.pay({ id, amount, phone, metadata: { item } }, { after }));
});
app.get("/orders/:id", async (c) => {
  const order = await checkout.get(c.req.param("id"));
  return order ? c.json(order) : c.json({ message: "This order does not exist." }, 404);
});
export default app;

process.once("SIGTERM", () => checkout.stop()); // what runs now ends first
