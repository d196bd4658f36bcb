// A shop on Express: the form, the order with its state, and the webhook, in one server.
import { once } from "node:events";
import express from "express";
import { nodeHandler } from "malipo/node";
import { HEADERS, orderPage, startPage } from "./pages.ts";
import { openShop } from "./shop.ts";

const shop = openShop();
const app = express();
app.use("/webhooks", nodeHandler(shop.checkout.receiver)); // above every body parser
app.use(express.urlencoded({ extended: false }));

app.get("/", (_request, response) => {
  response.set(HEADERS).send(startPage());
});
app.post("/orders", async ({ body = {}, headers }, response) => {
  const isOurs = headers["sec-fetch-site"] !== "cross-site"; // no other site may order
  const wrong = isOurs ? await shop.pay(body) : "Order on our own page.";
  if (wrong === undefined) response.redirect(303, `/orders/${body.order}`);
  else response.status(400).send(wrong);
});
app.get("/orders/:id", async ({ params: { id } }, response) => {
  const order = await shop.find(id);
  if (order === undefined) response.status(404).send("This order does not exist.");
  else response.set(HEADERS).send(orderPage(order, shop.parcels(id)));
});

await shop.checkout.start();
const server = app.listen(Number(process.env.PORT ?? 3000));
await once(server, "listening");
console.log(`The shop is at http://localhost:${process.env.PORT ?? 3000}`);

process.once("SIGTERM", async () => {
  server.close();
  await once(server, "close"); // requests that run now end first
  await shop.stop();
});
