import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buildSync } from "esbuild";
import type { Gateway } from "malipo";
import type { Sandbox } from "malipo/sandbox";
import { installNextShop } from "./next-shop.ts";

/** An example, and how `npm run example` runs it. */
export interface Example {
  readonly about: string;
  /** What runs it, if that is not Node.js. */
  readonly program?: string;
  /** Prepares it if it needs that, and returns the arguments of Node.js or the program. */
  args(): readonly string[];
  /** What to do when it runs. */
  readonly next?: string;
  /** The path of its webhook. */
  readonly webhook?: string;
  /** Called when it runs, or before it if it ends by itself. */
  fill?(sandbox: Sandbox, gateway: Gateway, folder: string): Promise<void>;
}

const require = createRequire(import.meta.url);
const packageFile = (name: string, file: string) =>
  join(dirname(require.resolve(`${name}/package.json`)), file);

const shop = (framework: string, args: Example["args"]): Example => ({
  about: `a shop on ${framework}: takes a payment, handles its webhook, shows the customer the state`,
  args,
  next: "Order something, and answer on the phone of the sandbox.",
  webhook: "/webhooks",
});

const tests = (about: string, ...args: string[]): Example => ({
  about,
  args: () => [packageFile("vitest", "vitest.mjs"), "run", ...args],
});

/** Pays once, so that a receiver has something to receive. */
async function payOnce(sandbox: Sandbox, gateway: Gateway): Promise<void> {
  const order = { amount: 1500, phone: "0712345678", account_reference: "ORDER-42" };
  await gateway.mobileMoney.initiate(order);
  sandbox.phone(order.phone).approve();
}

async function fillOrders(sandbox: Sandbox, gateway: Gateway, folder: string): Promise<void> {
  const orders = new DatabaseSync(join(folder, "orders.db"));
  orders.exec("CREATE TABLE orders (reference TEXT PRIMARY KEY, state TEXT NOT NULL)");
  for (const phone of ["0712000301", "0712000302", "0712000303"]) {
    const { reference } = await gateway.mobileMoney.initiate({ amount: 10, phone });
    orders.prepare("INSERT INTO orders VALUES (?, 'open')").run(reference);
  }
  sandbox.phone("0712000301").approve();
  sandbox.phone("0712000302").cancel();
  orders.close();
}

function compileNest(): readonly string[] {
  const outfile = "test/docs/bundles/nest-example.mjs"; // within the repository, so that imports are found
  buildSync({
    entryPoints: ["examples/nest/main.ts"],
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", outfile },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  return [outfile];
}

function installNext(): readonly string[] {
  const folder = join(tmpdir(), "malipo-example-next");
  console.log(`Next.js is not installed here. It is put into ${folder}, which takes a minute.`);
  return installNextShop(folder)("dev", folder);
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  express: shop("Express", () => ["examples/express/server.ts"]),
  fastify: shop("Fastify", () => ["examples/fastify/server.ts"]),
  nest: shop("Nest", compileNest),
  next: shop("Next.js", installNext),
  frontend: {
    about: "a page that follows its payment without a key",
    args: () => ["examples/frontend/server.ts"],
    next: "Pay, and answer on the phone of the sandbox.",
  },
  webhooks: {
    about: "a webhook receiver on Express, and one payment for it",
    args: () => ["examples/webhooks/express.ts"],
    webhook: "/webhooks",
    fill: payOnce,
  },
  hono: {
    ...shop("Hono", () => ["test/docs/support/serve-fetch.ts", "examples/hono/app.ts"]),
    next: `Order: curl localhost:3000/orders --json '{"order":"K7Q2M9","item":"concert","phone":"0712345678"}'`,
  },
  tickets: {
    ...shop("Express", () => ["examples/tickets/server.ts"]),
    about: "a shop with 50 seats, which never sells more",
    next: `Order: curl localhost:3000/orders --json '{"order":"K7Q2M9-000001","item":"concert","phone":"0712345678"}'`,
  },
  "charge-once": {
    ...shop("Express", () => ["examples/charge-once/shop.mts"]),
    about: "a shop with only the client and a receiver, and a table of its own",
    next: `Order: curl localhost:3000/orders --json '{"order":"K7Q2M9X4KD1T","item":"course","phone":"0712345678"}'`,
  },
  reconcile: {
    about: "a job that closes the orders whose payments have ended",
    args: () => ["examples/reconcile/reconcile.ts"],
    fill: fillOrders,
  },
  shell: {
    about: "a payment, a lost response and a webhook by curl, in a shell",
    program: "sh",
    args: () => ["examples/shell/payment.sh"],
  },
  python: {
    about: "a shop in Python, with the standard library only",
    program: "python3",
    args: () => ["examples/python/shop.py"],
    next: "Order something, and answer on the phone of the sandbox.",
    webhook: "/webhooks",
  },
  "test-suite": tests("a test suite of a checkout", "examples/test-suite"),
  lambda: tests(
    "a webhook receiver on AWS Lambda, run by its test: it needs redis-server",
    ...["test/docs/examples-functions.test.ts", "-t", "lambda"],
  ),
  functions: tests(
    "a webhook receiver in a function, run by its test: it needs PostgreSQL",
    ...["test/docs/examples-functions.test.ts", "-t", "functions"],
  ),
  durable: tests(
    "an order as a step of DBOS and of Restate, killed in the middle, run by its test",
    "test/docs/examples-durable.long.test.ts",
  ),
  "own-orders": tests(
    "three shops that had their orders before, drilled by their test: it needs MariaDB and PostgreSQL",
    "test/docs/examples-own-orders.long.test.ts",
  ),
  vendure: tests(
    "a plugin for Vendure, in the real Vendure by its own Shop API, run by its test: it needs PostgreSQL",
    "test/docs/examples-vendure.long.test.ts",
  ),
  medusa: tests(
    "a payment provider for Medusa, in the real Medusa by its own APIs, run by its test: it needs PostgreSQL",
    ...["--config", "test/runtimes/shops/vitest.config.ts"],
    "test/runtimes/shops/medusa.shop.ts",
  ),
  workers: tests(
    "a webhook receiver on Cloudflare Workers, run by its test in workerd",
    "test/docs/examples-workers.test.ts",
  ),
};
