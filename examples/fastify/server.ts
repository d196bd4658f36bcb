// A shop on Fastify: the form, the order with its state, and the webhook, in one server.
import fastify from "fastify";
import { fastifyWebhooks } from "malipo/fastify";
import { HEADERS, orderPage, startPage } from "./pages.ts";
import { openShop } from "./shop.ts";

const shop = openShop();
const app = fastify();
app.register(fastifyWebhooks, { receiver: shop.checkout.receiver, path: "/webhooks" });
// Fastify reads JSON; a form of a page is not JSON.
app.addContentTypeParser(
  "application/x-www-form-urlencoded",
  { parseAs: "string" },
  (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(`${body}`))),
);

app.get("/", (_request, reply) => reply.headers(HEADERS).send(startPage()));

app.post<{ Body: Record<string, string> | undefined }>(
  "/orders",
  async ({ body = {}, headers }, reply) => {
    const isOurs = headers["sec-fetch-site"] !== "cross-site"; // no other site may order
    const wrong = isOurs ? await shop.pay(body) : "Order on our own page.";
    return wrong === undefined
      ? reply.redirect(`/orders/${body.order}`, 303)
      : reply.code(400).send(wrong);
  },
);

app.get<{ Params: { id: string } }>("/orders/:id", async ({ params: { id } }, reply) => {
  const order = await shop.find(id);
  return order === undefined
    ? reply.code(404).send("This order does not exist.")
    : reply.headers(HEADERS).send(orderPage(order, shop.parcels(id)));
});

app.addHook("onReady", () => shop.checkout.start());
app.addHook("onClose", () => shop.stop()); // requests that run now have ended
const port = Number(process.env.PORT ?? 3000);
await app.listen({ port });
console.log(`The shop is at http://localhost:${port}`);

process.once("SIGTERM", () => app.close());
