import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway, type Payment } from "malipo";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { freePort } from "../../src/drill/child.ts";
import { type ShopProcess, type ShopProgram, startShop } from "../docs/support/shop-process.ts";

/** What a customer sees. */
export interface Seen {
  readonly status: number;
  /** The text of the page, without its tags. */
  readonly text: string;
  readonly html: string;
}

const visibleText = (html: string) =>
  html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

/** Resolves when a request has met the fault. */
export async function latencyIsUsed(sandbox: Sandbox): Promise<void> {
  const count = () => JSON.stringify(sandbox.snapshot()).match(/"kind":"latency"/g)?.length;
  while (count() !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A served sandbox, and a shop that runs as a process and has its webhook registered there. */
export async function openShopStage(program: ShopProgram) {
  // Real time: an inbox takes an event of last January for one that it may have forgotten.
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
  const folder = mkdtempSync(join(tmpdir(), "malipo-shop-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await gateway.webhooks.register({
    name: "shop",
    url: `${url}/webhooks`,
    events: ["payment.initiated", "payment.completed", "payment.failed"],
  });
  const env = {
    PORT: `${port}`,
    SHOP_DATA: folder,
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  };
  let shop: ShopProcess = await startShop(program, env);

  const see = async (response: Response): Promise<Seen> => {
    const html = await response.text();
    return { status: response.status, text: visibleText(html), html };
  };

  return {
    sandbox,
    url,
    printed: () => shop.printed(),
    /** Opens a path of the shop. */
    get: async (path: string) => see(await fetch(`${url}${path}`)),
    /** Opens the first page: the id of a new order. */
    async newOrder(): Promise<string> {
      const { html } = await see(await fetch(url));
      return /name="order" value="(\w+)"/.exec(html)?.[1] ?? "no order";
    },
    /** Fills in the form and sends it. */
    order: async (
      order: string,
      phone: string,
      more: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) => {
      const body = new URLSearchParams({ order, item: "Coffee", phone, ...more });
      return see(await fetch(`${url}/orders`, { method: "POST", body, headers }));
    },
    /** The payments of an order, by the service's own list. */
    async payments(order: string): Promise<Payment[]> {
      const { items } = await gateway.payments.list();
      return items.filter(({ account_reference }) => account_reference === order);
    },
    /** Sends an event by hand; the text of the response. */
    async deliver(event: object, secret: string = sandbox.webhookSecret): Promise<string> {
      const body = JSON.stringify(event);
      const headers = {
        "Content-Type": "application/json",
        "X-Service-Signature": signWebhook(body, secret),
      };
      const response = await fetch(`${url}/webhooks`, { method: "POST", headers, body });
      return (await response.json()).ResultDesc;
    },
    faultIsUsed: () => latencyIsUsed(sandbox),
    signal: (signal: NodeJS.Signals) => shop.signal(signal),
    end: (signal: NodeJS.Signals) => shop.end(signal),
    async restart(): Promise<void> {
      shop = await startShop(program, env);
    },
    async close(): Promise<void> {
      await shop.end("SIGKILL");
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type ShopStage = Awaited<ReturnType<typeof openShopStage>>;
