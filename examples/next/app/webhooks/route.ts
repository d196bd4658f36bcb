import { fetchHandler } from "malipo/fetch";
import { currentShop } from "../../current-shop.ts";

export const POST = (request: Request): Promise<Response> =>
  fetchHandler(currentShop().checkout.receiver)(request);
