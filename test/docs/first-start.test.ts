// Shops that a reader copies, on the first day: their files are not there yet, and someone clicks more than once.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, type TestContext, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { codeBlocks } from "./support/blocks.ts";
import { startShop } from "./support/shop-process.ts";

const CLIENT_ONLY = ["examples/charge-once/shop.mts", "course"] as const;
/** What each shop sells. */
const SHOPS = [
  ["README.md", "course"],
  ["docs/guides/checkout.md", "course"],
  ["examples/tickets/server.ts", "concert"],
  CLIENT_ONLY,
] as const;
const ID = "K7Q2M94FT1XB";

// Below this project, where the packages of the shops are found.
let programs: string;
beforeAll(() => {
  mkdirSync("test/docs/bundles", { recursive: true });
  programs = mkdtempSync(join("test/docs/bundles", "first-start-"));
});
afterAll(() => rmSync(programs, { recursive: true }));

/** The program of a shop: a file of `examples`, or what a page prints. */
function programOf(source: string): string {
  if (!source.endsWith(".md")) return source;
  const program = join(programs, `${source.replace(/\W/g, "-")}.mjs`);
  writeFileSync(program, codeBlocks(source, "ts")[0] ?? "");
  return program;
}

async function openShop(
  [source, item]: readonly [string, string],
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
) {
  const folder = mkdtempSync(join(tmpdir(), "malipo-first-start-"));
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  onTestFinished(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${await freePort()}`;
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
  const events = ["payment.completed", "payment.failed"] as const;
  await gateway.webhooks.register({ name: "shop", url: `${url}/webhooks`, events: [...events] });
  const env = {
    PORT: new URL(url).port,
    DATA: folder,
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  return {
    ...{ sandbox, gateway, folder },
    start: async () => {
      const running = await startShop({ args: [programOf(source)] }, env);
      onTestFinished(async () => void (await running.end("SIGKILL")));
      return running;
    },
    order: async (more: object = {}) => {
      const body = JSON.stringify({ order: ID, item, phone: "0712345678", after: 0, ...more });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/orders`, { method: "POST", headers, body });
      return response.json();
    },
    read: async () => (await fetch(`${url}/orders/${ID}`)).json(),
  };
}

describe.concurrent("a shop that a reader copies", () => {
  test.for(SHOPS)("prints nothing at its first start, and is paid: %s", async (source, context) => {
    const { expect } = context;
    const shop = await openShop(source, context);
    const running = await shop.start();
    expect(statSync(join(shop.folder, "shop.db")).mode & 0o077).toBe(0);
    expect(await shop.order()).toMatchObject({ id: ID, status: "pending" });
    shop.sandbox.phone("0712345678").approve();
    await expect.poll(shop.read).toMatchObject({ status: "paid" });
    expect(running.printed()).toBe("");
  });

  test("with only the client, asks once for two clicks, and ships once after a kill", async (context) => {
    const { expect } = context;
    const shop = await openShop(CLIENT_ONLY, context);
    const first = await shop.start();
    await Promise.all([shop.order(), shop.order()]);
    shop.sandbox.phone("0712345678").cancel();
    await expect.poll(shop.read).toMatchObject({ status: "failed", attempt: 1, shipped: 0 });
    await Promise.all([shop.order({ after: 1 }), shop.order({ after: 1 })]);
    expect(await shop.read()).toMatchObject({ status: "pending", attempt: 2 });
    await first.end("SIGKILL");
    shop.sandbox.phone("0712345678").approve();
    await shop.sandbox.deliveries.settled();
    await shop.start();
    await expect.poll(shop.read).toMatchObject({ status: "paid", attempt: 2, shipped: 1 });
    expect((await shop.gateway.payments.list()).items).toHaveLength(2);
  });

  test("with only the client, a wrong phone is over at once, and can be mended", async (context) => {
    const { expect } = context;
    const shop = await openShop(CLIENT_ONLY, context);
    const running = await shop.start();
    expect(await shop.order({ phone: "12" })).toMatchObject({ status: "failed", attempt: 1 });
    expect(await shop.order({ after: 1 })).toMatchObject({ status: "pending", attempt: 2 });
    expect(running.printed()).toBe("");
  });
});
