// A shop on Nest: the form, the order with its state, and the webhook, in one application.
import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { ShopModule } from "./shop.module.ts";

// `rawBody` keeps the bytes of each request: they are what a webhook's signature is over.
const app = await NestFactory.create(ShopModule, { rawBody: true, logger: ["error", "warn"] });
app.enableShutdownHooks(); // SIGTERM stops the shop
const port = Number(process.env.PORT ?? 3000);
await app.listen(port);
console.log(`The shop is at http://localhost:${port}`);
