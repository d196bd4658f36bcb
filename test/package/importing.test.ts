import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

// What a build does with a shop: it imports each module that makes a gateway, a receiver and a checkout, and serves nothing.

const folder = mkdtempSync(join(tmpdir(), "malipo-import-"));
let connections = 0;
const server = createServer((socket) => {
  connections++;
  socket.destroy();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = join(folder, "data", "shop.db");
const ENGINES: readonly (readonly [engine: string, from: string, hasOrders: boolean])[] = [
  [`sqlite(${JSON.stringify(file)})`, "malipo/sqlite", true],
  [`postgres("postgres://shop:secret@127.0.0.1:${port}/shop")`, "malipo/postgres", true],
  [`mysql("mysql://shop:secret@127.0.0.1:${port}/shop")`, "malipo/mysql", true],
  [`redis("redis://127.0.0.1:${port}")`, "malipo/redis", false],
  ["memory()", "malipo", true],
];

const moduleOf = (engine: string, from: string, hasOrders: boolean) => `
import { Gateway } from "malipo";
import { createCheckout } from "malipo/checkout";
import { fetchHandler } from "malipo/fetch";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import { createWebhookReceiver } from "malipo/webhooks";
import { ${engine.split("(")[0]} } from "${from}";

const db = ${engine};
export const gateway = new Gateway({ apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:${port}/v1", idempotency: db });
export const receiver = createWebhookReceiver({ secret: "whsec_1", inbox: db, payments: gateway.payments });
receiver.on("payment.completed", () => {});
export const POST = fetchHandler(receiver);
export const handle = nodeHandler(receiver);
${
  !hasOrders
    ? ""
    : `export const checkout = createCheckout({ store: db, gateway, secret: "whsec_1", onPaid: () => {} });
export const page = checkout.page({ merchant: { name: "Duka" }, secret: "0123456789abcdef0123456789abcdef", url: "https://shop.example/pay" });
export const status = checkout.statusHandler();
export const WEBHOOKS = fetchHandler(checkout.receiver);
export const staff = operatorHandler({ checkout, authorize: () => "Amina" });`
}
// What is there once the module is loaded, and again after what a promise may have begun.
await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const open = process.getActiveResourcesInfo().filter((one) => !/^(?:PipeWrap|TTYWrap|Immediate|FSReqPromise)$/.test(one));
console.log(JSON.stringify(open));
`;

test.each(ENGINES)(
  "a module that is imported opens nothing and waits for nothing: %s",
  async (...engine) => {
    connections = 0;
    const child = promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", moduleOf(...engine)],
      { cwd: process.cwd(), timeout: 60_000 },
    );
    const { stdout, stderr } = await child;
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([]);
    expect(connections).toBe(0);
    expect(existsSync(join(folder, "data"))).toBe(false);
  },
);
