// The webhook. The receiver reads the raw body, verifies it, and writes the response.
import type { IncomingMessage, ServerResponse } from "node:http";
import { All, Controller, Inject, Req, Res } from "@nestjs/common";
import { nodeHandler } from "malipo/node";
import { ShopService } from "./shop.service.ts";

@Controller("webhooks")
export class WebhooksController {
  readonly #receive: ReturnType<typeof nodeHandler>;

  constructor(@Inject(ShopService) { shop }: ShopService) {
    this.#receive = nodeHandler(shop.checkout.receiver);
  }

  @All()
  receive(@Req() request: IncomingMessage, @Res() response: ServerResponse) {
    return this.#receive(request, response);
  }
}
