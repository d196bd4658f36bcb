import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { memory } from "malipo";
import type { Checkout, PayParams } from "malipo/checkout";

import { expect, it } from "vitest";
import { atEnd, newSandbox, ORDER, openShop } from "./stage.ts";

/** Each has one route, and handles no error. */
const FRAMEWORKS = {
  Express: async ({ pay }: Checkout) => {
    const app = express();
    app.set("env", "test"); // logs nothing
    app.use(express.json());
    app.post("/orders", async ({ body }, response) => {
      response.json(await pay(body));
    });
    const server = app.listen(0, "127.0.0.1");
    atEnd(() => server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  Fastify: async ({ pay }: Checkout) => {
    const app = fastify();
    app.post("/orders", ({ body }) => pay(body as PayParams));
    atEnd(() => app.close());
    return app.listen({ port: 0, host: "127.0.0.1" });
  },
};

it.each(Object.entries(FRAMEWORKS))(
  "%s answers 400 for a wrong phone and 409 for another amount, without code for it",
  async (_, serve) => {
    const { checkout } = openShop(newSandbox(), memory().checkout());
    const url = await serve(checkout);
    const statusOf = async (order: object) => {
      const headers = { "content-type": "application/json", connection: "close" };
      const body = JSON.stringify(order);
      return (await fetch(`${url}/orders`, { method: "POST", headers, body })).status;
    };
    expect(await statusOf({ ...ORDER, phone: "12" })).toBe(400);
    expect(await statusOf({ ...ORDER, amount: 0 })).toBe(400);
    expect(await statusOf(ORDER)).toBe(200);
    expect(await statusOf({ ...ORDER, amount: 1 })).toBe(409);
  },
);
