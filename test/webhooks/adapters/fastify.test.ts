import fastify, { type FastifyInstance } from "fastify";
import { fastifyPage, fastifyWebhooks } from "malipo/fastify";
import { createWebhookReceiver, type WebhookReceiver } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { onSocket, PATH } from "../../suites/webhook-mount.ts";
import { BODY, SECRET } from "../../suites/webhook-sample.ts";
import { signed } from "../../suites/webhook-stage.ts";

async function listening(app: FastifyInstance, receiver: WebhookReceiver) {
  app.register(fastifyWebhooks, { receiver, path: PATH });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return onSocket(app.server, () => app.close());
}

testAdapter({
  name: "fastifyWebhooks",
  mount: (receiver) => listening(fastify(), receiver),
  spoilt: [
    [
      "a hook",
      (receiver) => {
        const app = fastify();
        app.addHook("onRequest", async ({ raw }) => {
          for await (const _ of raw);
        });
        return listening(app, receiver);
      },
      /Fastify: register `fastifyWebhooks` outside/,
    ],
    [
      "a parser of Express's",
      (receiver) => {
        const app = fastify();
        app.addHook("onRequest", async ({ raw }) => {
          Object.assign(raw, { body: {} });
        });
        return listening(app, receiver);
      },
      /@fastify\/middie/,
    ],
  ],
});

describe("fastifyWebhooks beside other routes", () => {
  const payload = Buffer.from(BODY);
  const { headers } = signed(BODY) as { headers: Record<string, string> };
  const post = (app: FastifyInstance, url: string, more: Record<string, unknown> = {}) =>
    app.inject({ method: "POST", url, headers, payload, ...more });

  test("does not change their parsers or their limits", async () => {
    const app = fastify({ bodyLimit: 300 });
    app.addContentTypeParser("text/csv", { parseAs: "string" }, (_, body, done) =>
      done(null, { csv: body }),
    );
    app.register(fastifyWebhooks, {
      receiver: createWebhookReceiver({ secret: SECRET }),
      path: PATH,
    });
    app.post("/orders", async (request) => ({ got: request.body }));
    expect((await post(app, "/orders")).json()).toEqual({ got: JSON.parse(payload.toString()) });
    const csv = { headers: { "content-type": "text/csv" }, payload: "a,b" };
    expect((await post(app, "/orders", csv)).json()).toEqual({ got: { csv: "a,b" } });
    const other = { headers: { "content-type": "text/xml" }, payload: "<a/>" };
    expect((await post(app, "/orders", other)).statusCode).toBe(415);
    const large = { payload: JSON.stringify({ text: "x".repeat(300) }) };
    expect((await post(app, "/orders", large)).statusCode).toBe(413);
    expect((await post(app, PATH)).statusCode).toBe(200);
    await app.close();
  });

  test("obeys the hooks of the whole app, and only its own limit", async () => {
    const app = fastify({ bodyLimit: 10 });
    app.addHook("onRequest", async ({ headers }, reply) => {
      if (headers["x-tenant"] === "banned") return reply.code(403).send({});
    });
    app.register(fastifyWebhooks, {
      receiver: createWebhookReceiver({ secret: SECRET }),
      path: PATH,
    });
    expect((await post(app, PATH)).statusCode).toBe(200);
    const banned = { headers: { ...headers, "x-tenant": "banned" } };
    expect((await post(app, PATH, banned)).statusCode).toBe(403);
    await app.close();
  });

  test.each([
    ["close", 400, "the body ended early"],
    // What went wrong is not known: it is reported, and the service sends it again.
    ["error", 500, "the receiver failed"],
  ] as const)("for a body that ends by %s, it returns %i", async (end, status, description) => {
    const app = fastify();
    const onError = vi.fn();
    const receiver = createWebhookReceiver({ secret: SECRET, onError });
    app.register(fastifyWebhooks, { receiver, path: PATH });
    const response = await post(app, PATH, { simulate: { end: false, [end]: true } });
    expect([response.statusCode, response.json()]).toEqual([
      status,
      { ResultCode: 1, ResultDesc: description },
    ]);
    expect(onError).toHaveBeenCalledTimes(end === "error" ? 1 : 0);
    await app.close();
  });

  test("is mounted at its prefix, and twice for two shops", async () => {
    const app = fastify();
    for (const [shop, secret] of [
      ["one", SECRET],
      ["two", "another"],
    ] as const) {
      app.register(fastifyWebhooks, {
        prefix: `/${shop}/webhooks`,
        receiver: createWebhookReceiver({ secret, onError: () => {} }),
      });
    }
    expect((await post(app, "/one/webhooks")).statusCode).toBe(200);
    expect((await post(app, "/one/webhooks/")).statusCode).toBe(200);
    expect((await post(app, "/two/webhooks")).statusCode).toBe(401);
    expect((await post(app, "/webhooks")).statusCode).toBe(404);
    await app.close();
  });
});

describe("fastifyPage", () => {
  const page = async (request: Request) =>
    new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, {
      headers: { "x-page": "1" },
    });
  const form = { "content-type": "application/x-www-form-urlencoded" };

  test("mounts a page with all paths below it, and forms that Fastify does not parse", async () => {
    const app = fastify();
    app.register(fastifyPage, { page, path: "/pay" });
    app.post("/orders", async ({ body }) => ({ got: body }));
    const shown = await app.inject({ url: "/pay/4fJ" });
    expect([shown.statusCode, shown.headers["x-page"], shown.body]).toEqual([
      200,
      "1",
      "GET /pay/4fJ ",
    ]);
    expect((await app.inject({ url: "/pay" })).body).toBe("GET /pay ");
    const posted = await app.inject({
      method: "POST",
      url: "/pay/4fJ",
      headers: form,
      payload: "a=1",
    });
    expect(posted.body).toBe("POST /pay/4fJ a=1");
    expect(
      (await app.inject({ method: "POST", url: "/orders", payload: { a: 1 } })).json(),
    ).toEqual({ got: { a: 1 } });
    expect((await app.inject({ url: "/payments" })).statusCode).toBe(404);
    await app.close();
  });

  test("serves every path of an address of its own", async () => {
    const app = fastify();
    app.register(fastifyPage, { page, path: "/" });
    expect((await app.inject({ url: "/" })).body).toBe("GET / ");
    expect((await app.inject({ url: "/4fJ" })).body).toBe("GET /4fJ ");
    await app.close();
  });

  test("is behind a login that is registered before it", async () => {
    const app = fastify();
    app.addHook("onRequest", async (request, reply) => {
      if (request.headers.authorization === undefined) await reply.code(401).send("no");
    });
    app.register(fastifyPage, { page, path: "/operator" });
    expect((await app.inject({ url: "/operator" })).statusCode).toBe(401);
    const headers = { authorization: "Basic x" };
    expect((await app.inject({ url: "/operator", headers })).statusCode).toBe(200);
    await app.close();
  });
});
