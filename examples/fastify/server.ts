// A shop on Fastify: the form, the order with its state, and the webhook, in one server.
import fastify from "fastify";
import { fastifyWebhooks } from "malipo/fastify";
import { orderPage, startPage } from "./pages.ts";
import { Shop } from "./shop.ts";

const shop = new Shop();
const app = fastify();
app.register(fastifyWebhooks, { receiver: shop.receiver, path: "/webhooks" });
// Fastify reads JSON; a form of a page is not JSON.
app.addContentTypeParser(
  "application/x-www-form-urlencoded",
  { parseAs: "string" },
  (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(`${body}`))),
);

app.get("/", (_request, reply) => reply.type("text/html").send(startPage()));

app.post<{ Body: Record<string, string> | undefined }>("/orders", async ({ body }, reply) =>
  body !== undefined && (await shop.order(body))
    ? reply.redirect(`/orders/${body.order}`, 303)
    : reply.code(400).send("This form is not ours."),
);

app.get<{ Params: { id: string } }>("/orders/:id", ({ params }, reply) => {
  const order = shop.find(params.id);
  return order === undefined
    ? reply.code(404).send("There is no such order.")
    : reply.type("text/html").send(orderPage(order));
});

app.post<{ Params: { id: string } }>("/orders/:id/again", async ({ params }, reply) => {
  await shop.payAgain(params.id);
  return reply.redirect(`/orders/${encodeURIComponent(params.id)}`, 303);
});

app.addHook("onReady", () => shop.start());
app.addHook("onClose", () => shop.stop()); // requests that run now have ended
const port = Number(process.env.PORT ?? 3000);
await app.listen({ port });
console.log(`The shop is at http://localhost:${port}`);

process.once("SIGTERM", () => app.close());
