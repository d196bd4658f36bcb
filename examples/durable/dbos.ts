// A durable workflow with DBOS: `node dbos.ts ORDER-42`. It is recovered when the process starts again.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Gateway } from "malipo";
import { postgresIdempotency } from "malipo/idempotency/postgres";
import { Pool } from "pg";
import { charge, mayRunAgain, type Order } from "./charge.ts";

const systemDatabaseUrl = process.env.DATABASE_URL ?? "";
const pool = new Pool({ connectionString: systemDatabaseUrl });
const idempotency = postgresIdempotency(pool);
await idempotency.migrate();
const gateway = new Gateway({ idempotency, totalTimeoutMs: 5_000 });

async function checkout(order: Order): Promise<string> {
  const payment = await DBOS.runStep(() => charge(gateway, order), {
    name: "charge",
    retriesAllowed: true,
    maxAttempts: 10,
    shouldRetry: mayRunAgain,
  });
  if (payment.status !== "completed") return "not paid";
  // The next step: its result is stored, too.
  await DBOS.runStep(async () => console.log(`ship ${order.id}`), { name: "ship" });
  return "shipped";
}
const workflow = DBOS.registerWorkflow(checkout, { name: "checkout" });

DBOS.setConfig({ name: "shop", systemDatabaseUrl, logLevel: "error" });
await DBOS.launch(); // goes on with the workflows that a crash interrupted
const order = { id: process.argv[2] ?? "ORDER-42", amount: 1500, phone: "0712345678" };
// The id of the workflow is that of the order: the second start joins the first.
const handle = await DBOS.startWorkflow(workflow, { workflowID: order.id })(order);
console.log(await handle.getResult());
await DBOS.shutdown();
await pool.end();
