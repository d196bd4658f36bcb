import "reflect-metadata";
import type { IncomingMessage, ServerResponse } from "node:http";
import { All, Controller, Module, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { nodeHandler } from "malipo/node";
import type { WebhookReceiver } from "malipo/webhooks";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { onSocket, PATH } from "../../suites/webhook-mount.ts";

/** A module whose controller hands over to the receiver. Decorators are functions. */
function moduleWith(receiver: WebhookReceiver) {
  const handle = nodeHandler(receiver);
  class Webhooks {
    receive(request: IncomingMessage, response: ServerResponse) {
      return handle(request, response);
    }
  }
  const { prototype } = Webhooks;
  Req()(prototype, "receive", 0);
  Res()(prototype, "receive", 1);
  All()(prototype, "receive", Object.getOwnPropertyDescriptor(prototype, "receive") ?? {});
  Controller(PATH)(Webhooks);
  class App {}
  Module({ controllers: [Webhooks] })(App);
  return App;
}

async function listening(app: NestExpressApplication) {
  await app.listen(0, "127.0.0.1");
  return onSocket(app.getHttpServer(), () => app.close());
}

const quiet = { logger: false } as const;

testAdapter({
  name: "nodeHandler in a Nest controller, with rawBody",
  parser: "json",
  mount: async (receiver) => {
    const options = { ...quiet, rawBody: true };
    const app = await NestFactory.create<NestExpressApplication>(moduleWith(receiver), options);
    app.useBodyParser("json", { limit: "2mb" });
    return listening(app);
  },
  spoilt: [
    [
      "Nest's own parser, without rawBody",
      async (receiver) => listening(await NestFactory.create(moduleWith(receiver), quiet)),
      /Nest: `NestFactory\.create\(AppModule, \{ rawBody: true \}\)`/,
    ],
  ],
});

testAdapter({
  name: "nodeHandler above Nest's parsers",
  mount: async (receiver) => {
    class App {}
    Module({})(App);
    const app = await NestFactory.create<NestExpressApplication>(App, quiet);
    app.use(PATH, nodeHandler(receiver));
    return listening(app);
  },
});
