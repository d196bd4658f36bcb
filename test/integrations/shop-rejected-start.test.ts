import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { newOrderId, Shop } from "../../examples/express/shop.ts";

afterEach(() => vi.unstubAllEnvs());

test("a shop that looks for one order does not ask for another whose start was rejected meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-rejected-"));
  const [lost, rejected] = [newOrderId(), newOrderId()];
  const starts: string[] = [];
  const service = createServer(async (request, response) => {
    const chunks = await request.toArray();
    if (request.method === "GET") {
      setTimeout(() => response.end(JSON.stringify({ data: [] })), 1_000);
      return;
    }
    const { account_reference } = JSON.parse(Buffer.concat(chunks).toString());
    starts.push(account_reference);
    if (account_reference === lost) response.destroy();
    else setTimeout(() => response.writeHead(401).end("{}"), 500);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => service.once("listening", resolve));
  vi.stubEnv("MALIPO_BASE_URL", `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  vi.stubEnv("MALIPO_API_KEY", "sk_sandbox_1");
  vi.stubEnv("MALIPO_WEBHOOK_SECRET", "whsec_1");
  const shop = new Shop(folder);
  const form = { item: "Tea", phone: "0712345678" };
  await Promise.all([
    shop.order({ ...form, order: rejected }),
    shop.order({ ...form, order: lost, phone: "0722000111" }), // then it looks
  ]);
  await shop.stop(); // the look ends first
  expect(starts.filter((order) => order === rejected)).toHaveLength(1);
  service.close();
  rmSync(folder, { recursive: true });
});
