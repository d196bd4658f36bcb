// A durable workflow with Restate: POST /checkout/ORDER-42/run of its server runs it once for an order.
import { serve, TerminalError, type WorkflowContext, workflow } from "@restatedev/restate-sdk";
import { Gateway } from "malipo";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import { Pool } from "pg";
import { charge, mayRunAgain, type Order } from "./charge.ts";

const idempotency = postgresIdempotency(
  new Pool({ connectionString: process.env.DATABASE_URL ?? "" }),
);
await idempotency.migrate();
const gateway = new Gateway({ idempotency, totalTimeoutMs: 5_000 });

/** Restate runs a step again after each error that is not a `TerminalError`. */
async function chargeStep(order: Order): Promise<string> {
  try {
    return (await charge(gateway, order)).status;
  } catch (error) {
    if (mayRunAgain(error)) throw error;
    throw new TerminalError(String(error));
  }
}

const checkout = workflow({
  name: "checkout",
  handlers: {
    run: async (ctx: WorkflowContext, { amount, phone }: Omit<Order, "id">) => {
      const order = { id: ctx.key, amount, phone };
      const status = await ctx.run("charge", () => chargeStep(order), { maxRetryAttempts: 10 });
      if (status !== "completed") return "not paid";
      await ctx.run("ship", () => console.log(`ship ${order.id}`));
      return "shipped";
    },
  },
});

await serve({ services: [checkout], port: Number(process.env.PORT ?? 9080) });
