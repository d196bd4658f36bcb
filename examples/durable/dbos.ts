// A durable workflow with DBOS: `node dbos.ts ORDER-42`. It is recovered when the process starts again.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createCheckout, type PayParams } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { charge, mayRunAgain } from "./charge.ts";

const systemDatabaseUrl = process.env.DATABASE_URL ?? "";
const db = postgres(systemDatabaseUrl);
const checkout = createCheckout({
  store: db,
  gateway: { totalTimeoutMs: 5_000 }, // a step that runs again waits until the call of a dead one is over
  onPaid: () => {}, // the workflow ships the goods
});
await checkout.start();

async function sell(order: PayParams): Promise<string> {
  const { status } = await DBOS.runStep(() => charge(checkout, order), {
    name: "charge",
    retriesAllowed: true,
    maxAttempts: 10,
    shouldRetry: mayRunAgain,
  });
  if (status !== "paid") return "not paid";
  // The next step: its result is stored, too.
  await DBOS.runStep(async () => console.log(`ship ${order.id}`), { name: "ship" });
  return "shipped";
}
const workflow = DBOS.registerWorkflow(sell, { name: "sell" });

DBOS.setConfig({ name: "shop", systemDatabaseUrl, logLevel: "error" });
await DBOS.launch(); // goes on with the workflows that a crash interrupted
const order = { id: process.argv[2] ?? "ORDER-42", amount: 1500, phone: "0712345678" };
// The id of the workflow is that of the order: the second start joins the first.
const handle = await DBOS.startWorkflow(workflow, { workflowID: order.id })(order);
console.log(await handle.getResult());
await DBOS.shutdown();
await checkout.stop();
await db.close();
