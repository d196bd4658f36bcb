// The provider: the shop starts and stops with the application.
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from "@nestjs/common";
import { Shop } from "./shop.ts";

@Injectable()
export class ShopService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly shop = new Shop();

  onApplicationBootstrap(): Promise<void> {
    return this.shop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.shop.stop(); // requests that run now have ended
  }
}
