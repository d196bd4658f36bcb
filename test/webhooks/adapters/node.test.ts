import { text } from "node:stream/consumers";
import express from "express";
import { nodeHandler } from "malipo/node";
import { testAdapter } from "../../conformance/webhook-adapter-suite.ts";
import { listening, PATH } from "../../conformance/webhook-mount.ts";

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

/** Koa's part in it: middleware that is given a context, and an answer of its own unless there is one. */
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
      /Koa: move it above `app\.use\(bodyParser\(\)\)`/,
    ],
  ],
});
