// The form, and the order with its state.
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  NotFoundException,
  Param,
  Post,
  Redirect,
} from "@nestjs/common";
import { HEADERS, orderPage, startPage } from "./pages.ts";
import { ShopService } from "./shop.service.ts";

/** Sets the headers of a page. */
const Page = (): MethodDecorator => (target, key, descriptor) => {
  for (const [name, value] of Object.entries(HEADERS)) {
    Header(name, value)(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  }
};

@Controller()
export class OrdersController {
  readonly #shop: ShopService["shop"];

  constructor(@Inject(ShopService) { shop }: ShopService) {
    this.#shop = shop;
  }

  @Get()
  @Page()
  start(): string {
    return startPage();
  }

  @Post("orders")
  @Redirect()
  async order(
    @Headers("sec-fetch-site") site?: string,
    @Body() form: Readonly<Record<string, string>> = {},
  ) {
    const isOurs = site !== "cross-site"; // no other site may order
    const wrong = isOurs ? await this.#shop.pay(form) : "Order on our own page.";
    if (wrong !== undefined) throw new BadRequestException(wrong);
    return { url: `/orders/${form.order}`, statusCode: 303 };
  }

  @Get("orders/:id")
  @Page()
  async show(@Param("id") id: string): Promise<string> {
    const order = await this.#shop.find(id);
    if (order === undefined) throw new NotFoundException("This order does not exist.");
    return orderPage(order, this.#shop.parcels(id));
  }
}
