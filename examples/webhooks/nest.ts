// Webhooks on Nest: `rawBody` keeps the signed bytes beside the body that Nest has parsed.
import "reflect-metadata";
import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const db = sqlite(process.env.SHOP_DB ?? "shop.db");
const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});

@Module({})
class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(nodeHandler(receiver)).forRoutes("webhooks");
  }
  async onApplicationBootstrap() {
    await receiver.start();
  }
  async onApplicationShutdown() {
    await receiver.stop();
    await db.close();
  }
}

const app = await NestFactory.create(AppModule, { rawBody: true });
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000));
