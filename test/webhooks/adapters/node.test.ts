import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import express from "express";
import { nodeHandler } from "malipo/node";
import { createWebhookReceiver } from "malipo/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { breakOff, listening, type Mount, PATH } from "../../suites/webhook-mount.ts";
import { BODY, SECRET } from "../../suites/webhook-sample.ts";
import { signed } from "../../suites/webhook-stage.ts";

testAdapter({
  name: "nodeHandler on node:http",
  mount: (receiver) => listening(nodeHandler(receiver)),
  spoilt: [
    [
      "a reader of the whole stream",
      (receiver) =>
        listening(async (request, response) => {
          await text(request);
          await nodeHandler(receiver)(request, response);
        }),
      /node:http: call it before anything reads the request/,
    ],
    [
      "a reader that has begun",
      (receiver) =>
        listening((request, response) => {
          request.once("data", () => {
            request.pause();
            void nodeHandler(receiver)(request, response);
          });
          if (request.method !== "POST") void nodeHandler(receiver)(request, response);
        }),
      /node:http/,
    ],
    [
      "a decoder",
      (receiver) =>
        listening((request, response) => {
          request.setEncoding("utf8");
          void nodeHandler(receiver)(request, response);
        }),
      /node:http/,
    ],
    [
      "the body parser of Next's API routes",
      (receiver) =>
        listening(async (request, response) => {
          const parts = { query: {}, cookies: {}, body: JSON.parse((await text(request)) || "{}") };
          await nodeHandler(receiver)(Object.assign(request, parts), response);
        }),
      /^(?!.*Express).*bodyParser: false/,
    ],
  ],
});

testAdapter({
  name: "nodeHandler on Express",
  mount: (receiver) => listening(express().use(PATH, nodeHandler(receiver)).use(express.json())),
  spoilt: [
    [
      "express.json()",
      (receiver) => listening(express().use(express.json()).use(PATH, nodeHandler(receiver))),
      /Express: move the route above `app\.use\(express\.json\(\)\)`/,
    ],
    [
      "express.text()",
      (receiver) =>
        listening(
          express()
            .use(express.text({ type: "*/*" }))
            .use(PATH, nodeHandler(receiver)),
        ),
      /Express/,
    ],
    [
      "express.urlencoded()",
      (receiver) =>
        listening(
          express()
            .use(express.urlencoded({ type: "*/*" }))
            .use(PATH, nodeHandler(receiver)),
        ),
      /Express/,
    ],
  ],
});

testAdapter({
  name: "nodeHandler on Express, behind express.raw()",
  mount: (receiver) =>
    listening(
      express().all(PATH, express.raw({ type: "*/*", limit: "2mb" }), nodeHandler(receiver)),
    ),
  parser: "raw",
});

/** What Koa does: it passes a context to middleware, and responds itself if the middleware did not. */
const koa =
  (...middleware: ((context: Context) => Promise<void>)[]): Parameters<typeof listening>[0] =>
  async (req, res) => {
    const context = { req, res, request: {} };
    res.statusCode = 404;
    for (const one of middleware) await one(context);
    if (!res.writableEnded) res.end("Not Found");
  };

interface Context {
  req: Parameters<Parameters<typeof listening>[0]>[0];
  res: Parameters<Parameters<typeof listening>[0]>[1];
  request: { body?: unknown };
}

testAdapter({
  name: "nodeHandler on Koa's context",
  mount: (receiver) => listening(koa((context) => nodeHandler(receiver)(context.req, context.res))),
  spoilt: [
    [
      "koa-bodyparser",
      (receiver) =>
        listening(
          koa(
            async (context) => {
              context.request.body = await text(context.req);
            },
            (context) => nodeHandler(receiver)(context.req, context.res),
          ),
        ),
      /Koa: move the handler above `app\.use\(bodyParser\(\)\)`/,
    ],
  ],
});

describe("nodeHandler resolves", () => {
  const onError = vi.fn();
  const handle = nodeHandler(createWebhookReceiver({ secret: SECRET, onError }));
  const half = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${"0".repeat(64)}\r\nContent-Length: 100\r\n\r\n{`;

  /** Serves one request; returns what became of the handler. */
  async function outcome(
    serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    use: (mount: Mount) => Promise<unknown>,
  ): Promise<unknown> {
    onError.mockReset();
    let end: (outcome: unknown) => void = () => {};
    const ended = new Promise((resolve) => {
      end = resolve;
    });
    const mount = await listening((request, response) => {
      serve(request, response).then(() => end("ended"), end);
    });
    await use(mount);
    const outcome = await ended;
    await mount.close?.();
    return outcome;
  }

  test("when the sender breaks off", async () => {
    const use = ({ port = 0 }: Mount) => breakOff(port, [half], "reset");
    expect(await outcome(handle, use)).toBe("ended");
    expect(onError).not.toHaveBeenCalled();
  });

  test("when the sender was gone before the call", async () => {
    const slow = async (request: IncomingMessage, response: ServerResponse) => {
      await new Promise((resolve) => request.socket.once("close", resolve));
      await handle(request, response);
    };
    const use = ({ port = 0 }: Mount) => breakOff(port, [half], "reset");
    expect(await outcome(slow, use)).toBe("ended");
    // There is no line to move.
    expect(onError).not.toHaveBeenCalled();
  });

  test.each([
    ["has responded", true],
    ["has begun to respond", false],
  ])("when something else %s meanwhile", async (_, isAllSaid) => {
    const impatient = async (request: IncomingMessage, response: ServerResponse) => {
      const handled = handle(request, response);
      response.writeHead(504).write("too slow");
      if (isAllSaid) response.end();
      await handled.finally(() => response.end());
    };
    const use = async (mount: Mount) => {
      const { status, body } = await mount.deliver(signed(BODY));
      expect([status, body]).toEqual([504, "too slow"]);
    };
    expect(await outcome(impatient, use)).toBe("ended");
  });
});

describe("a body that was parsed", () => {
  const NEST =
    /^Nest: .*rawBody: true.* Express: move the route above `app\.use\(express\.json\(\)\)`\.$/;
  const EXPRESS = /^Express: move the route above .* and every other body parser\.$/;
  const NEXT = /^Next: .*bodyParser: false/;
  const OTHERS = /^Koa: .* node:http: call it before anything reads the request\.$/;

  const FRAMEWORKS: [name: string, parts: object, hasMetadata: boolean, hint: RegExp][] = [
    ["Nest", { app: {} }, true, NEST],
    ["Express", { app: {}, query: {} }, false, EXPRESS],
    ["Next", { query: {}, cookies: {} }, false, NEXT],
    ["Koa or node:http", {}, false, OTHERS],
    ["Koa or node:http, in a process with decorators", {}, true, OTHERS],
    ["what has only queries", { query: {} }, false, OTHERS],
    ["what has only cookies", { cookies: {} }, false, OTHERS],
  ];

  const metadata = Object.getOwnPropertyDescriptor(Reflect, "getMetadata");
  afterEach(() => {
    Reflect.deleteProperty(Reflect, "getMetadata");
    if (metadata) Object.defineProperty(Reflect, "getMetadata", metadata);
  });

  test.each(FRAMEWORKS)(
    "results in an error that says which line to move, on %s",
    async (_, parts, has, hint) => {
      Reflect.deleteProperty(Reflect, "getMetadata");
      if (has) Object.defineProperty(Reflect, "getMetadata", { value() {}, configurable: true });
      const onError = vi.fn();
      const handle = nodeHandler(createWebhookReceiver({ secret: SECRET, onError }));
      const mount = await listening((request, response) =>
        handle(Object.assign(request, { body: {} }, parts), response),
      );
      expect((await mount.deliver(signed(BODY))).status).toBe(500);
      await mount.close?.();
      const said = "Something read or parsed the body before the receiver. ";
      const [[{ code, message } = { code: "", message: "" }] = []] = onError.mock.calls;
      expect([code, message.slice(0, said.length)]).toEqual(["body_not_raw", said]);
      expect(message.slice(said.length)).toMatch(hint);
    },
  );
});
