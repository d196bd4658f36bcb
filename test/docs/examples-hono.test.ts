import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { startShop } from "./support/shop-process.ts";

test("the example on Hono takes an order, ships the goods once, and keeps both over a kill -9", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-hono-"));
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  const url = `http://127.0.0.1:${await freePort()}`;
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
  const events = ["payment.completed", "payment.failed"] as const;
  await gateway.webhooks.register({ name: "shop", url: `${url}/webhooks`, events: [...events] });
  const program = { args: ["test/docs/support/serve-fetch.ts", "examples/hono/app.ts"] };
  const env = {
    PORT: new URL(url).port,
    SHOP_DB: join(folder, "shop.db"),
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  const order = async (item: string) => {
    const body = JSON.stringify({ order: "K7Q2M9-4FT1XB", item, phone: "0712345678" });
    const headers = { "content-type": "application/json" };
    return fetch(`${url}/orders`, { method: "POST", headers, body });
  };
  const status = async () => (await (await fetch(`${url}/orders/K7Q2M9-4FT1XB`)).json()).status;

  const first = await startShop(program, env);
  expect((await order("toString")).status).toBe(400);
  expect((await fetch(`${url}/orders/K7Q2M9-4FT1XB`)).status).toBe(404);
  expect(await (await order("concert")).json()).toMatchObject({ status: "pending" });
  expect(await first.end("SIGKILL")).toBe("SIGKILL");
  sandbox.phone("0712345678").approve();
  await sandbox.deliveries.settled();

  const second = await startShop(program, env);
  await expect.poll(status).toBe("paid");
  await expect.poll(second.printed).toContain("ship K7Q2M9-4FT1XB");
  expect(await (await order("concert")).json()).toMatchObject({ status: "paid" });
  expect((await gateway.payments.list()).items).toHaveLength(1);
  expect(await second.end("SIGTERM")).toBe(0);
  expect(second.printed().match(/ship/g)).toHaveLength(1);
  await service.close();
  rmSync(folder, { recursive: true });
});
