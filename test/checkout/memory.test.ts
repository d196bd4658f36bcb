import { memory } from "malipo";
import { checkoutSuite } from "../suites/checkout.ts";

checkoutSuite("memory()", {
  fresh: async (now) => {
    const store = memory({ now }).checkout();
    return { open: () => ({ ...store, close: async () => {} }) };
  },
});
