// The form, and the order with its state.
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Header,
  Inject,
  NotFoundException,
  Param,
  Post,
  Redirect,
} from "@nestjs/common";
import { orderPage, startPage } from "./pages.ts";
import { ShopService } from "./shop.service.ts";

const seeOrder = (id = "") => ({ url: `/orders/${encodeURIComponent(id)}`, statusCode: 303 });

@Controller()
export class OrdersController {
  readonly #shop: ShopService["shop"];

  constructor(@Inject(ShopService) { shop }: ShopService) {
    this.#shop = shop;
  }

  @Get()
  start(): string {
    return startPage();
  }

  @Post("orders")
  @Redirect()
  async order(@Body() form: Record<string, string> = {}) {
    if (await this.#shop.order(form)) return seeOrder(form.order);
    throw new BadRequestException("This form is not ours.");
  }

  @Get("orders/:id")
  @Header("Content-Type", "text/html")
  show(@Param("id") id: string): string {
    const order = this.#shop.find(id);
    if (order === undefined) throw new NotFoundException("There is no such order.");
    return orderPage(order);
  }

  @Post("orders/:id/again")
  @Redirect()
  async again(@Param("id") id: string) {
    await this.#shop.payAgain(id);
    return seeOrder(id);
  }
}
