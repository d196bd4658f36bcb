// The provider: the shop starts and stops with the application.
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from "@nestjs/common";
import { openShop, type Shop } from "./shop.ts";

@Injectable()
export class ShopService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly shop: Shop = openShop();

  onApplicationBootstrap(): Promise<void> {
    return this.shop.checkout.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.shop.stop(); // requests that run now have ended
  }
}
