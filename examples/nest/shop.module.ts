import { Module } from "@nestjs/common";
import { OrdersController } from "./orders.controller.ts";
import { ShopService } from "./shop.service.ts";
import { WebhooksController } from "./webhooks.controller.ts";

@Module({ controllers: [OrdersController, WebhooksController], providers: [ShopService] })
export class ShopModule {}
