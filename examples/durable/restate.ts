// A durable workflow with Restate: POST /checkout/ORDER-42/run of its server runs it once for an order.
import { serve, TerminalError, type WorkflowContext, workflow } from "@restatedev/restate-sdk";
import { createCheckout, type PayParams } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { charge, mayRunAgain } from "./charge.ts";

const checkout = createCheckout({
  store: postgres(process.env.DATABASE_URL ?? ""),
  gateway: { totalTimeoutMs: 5_000 }, // a step that runs again waits until the call of a dead one is over
  onPaid: () => {}, // the workflow ships the goods
});
await checkout.start();

/** Restate runs a step again after each error that is not a `TerminalError`. */
async function chargeStep(order: PayParams): Promise<string> {
  try {
    return (await charge(checkout, order)).status;
  } catch (error) {
    if (mayRunAgain(error)) throw error;
    throw new TerminalError(String(error));
  }
}

const shop = workflow({
  name: "checkout",
  handlers: {
    run: async (ctx: WorkflowContext, { amount, phone }: Omit<PayParams, "id">) => {
      const order = { id: ctx.key, amount, phone };
      const status = await ctx.run("charge", () => chargeStep(order), { maxRetryAttempts: 10 });
      if (status !== "paid") return "not paid";
      await ctx.run("ship", () => console.log(`ship ${order.id}`));
      return "shipped";
    },
  },
});

await serve({ services: [shop], port: Number(process.env.PORT ?? 9080) });
