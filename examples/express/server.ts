// A shop on Express: the form, the order with its state, and the webhook, in one server.
import { once } from "node:events";
import express from "express";
import { nodeHandler } from "malipo/node";
import { orderPage, startPage } from "./pages.ts";
import { Shop } from "./shop.ts";

const shop = new Shop();
const app = express();
app.use("/webhooks", nodeHandler(shop.receiver)); // above every body parser
app.use(express.urlencoded({ extended: false }));

app.get("/", (_request, response) => {
  response.send(startPage());
});
app.post("/orders", async ({ body = {} }, response) => {
  if (await shop.order(body)) response.redirect(303, `/orders/${body.order}`);
  else response.status(400).send("This form is not ours.");
});
app.get("/orders/:id", ({ params }, response) => {
  const order = shop.find(params.id);
  if (order === undefined) response.status(404).send("There is no such order.");
  else response.send(orderPage(order));
});
app.post("/orders/:id/again", async ({ params }, response) => {
  await shop.payAgain(params.id);
  response.redirect(303, `/orders/${encodeURIComponent(params.id)}`);
});

await shop.start();
const server = app.listen(Number(process.env.PORT ?? 3000));
await once(server, "listening");
console.log(`The shop is at http://localhost:${process.env.PORT ?? 3000}`);

process.once("SIGTERM", async () => {
  server.close();
  await once(server, "close"); // requests that run now end first
  await shop.stop();
});
