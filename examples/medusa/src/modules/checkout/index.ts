import { Module } from "@medusajs/framework/utils";
import { checkout } from "./checkout";

class CheckoutService {
  __hooks = {
    onApplicationStart: () => checkout.start(),
    onApplicationShutdown: () => checkout.stop(),
  };
}

export default Module("checkout", { service: CheckoutService });
