import { memory } from "malipo";
import { expect, it, vi } from "vitest";
import { checkoutSuite } from "../suites/checkout.ts";
import { newSandbox, ORDER, openShop } from "./stage.ts";

checkoutSuite("memory()", {
  fresh: async (now) => {
    const store = memory({ now }).checkout();
    return { open: () => ({ ...store, close: async () => {} }) };
  },
});

it("memory() says in a runtime without node:sqlite that its orders require it", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout() as never);
  vi.stubGlobal("process", { ...process, getBuiltinModule: () => undefined });
  const made = await checkout.create(ORDER).catch((error: unknown) => error);
  vi.unstubAllGlobals();
  expect(made).toMatchObject({
    code: "configuration",
    message: expect.stringMatching(/^A checkout of memory\(\).*requires node:sqlite/),
  });
});
