import { memoryCheckout } from "malipo/checkout";
import { checkoutSuite } from "../suites/checkout.ts";

checkoutSuite("memoryCheckout", {
  fresh: async (now) => {
    const store = memoryCheckout({ now });
    return { open: () => ({ ...store, close: async () => {} }) };
  },
});
