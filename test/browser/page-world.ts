import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type ServedSandbox,
} from "malipo/sandbox";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launchChromium } from "../support/chromium.ts";

export const PHONE = "0712345678";
export const DESKTOP = { width: 1280, height: 860 };
export const NARROW = { width: 375, height: 812 };

/** A sandbox with its page open in a browser, and what must not happen there. */
export interface PageWorld {
  readonly sandbox: Sandbox;
  readonly served: ServedSandbox;
  readonly page: Page;
  /** Errors in the console, failed scripts, violations of the content security policy. */
  readonly troubles: readonly string[];
  call(path: string, body: object): Promise<Record<string, string>>;
  /** Starts a payment as a merchant does; gives its reference. */
  pay(order?: Record<string, unknown>): Promise<string>;
  /** Listens for deliveries, and registers. Gives its address. */
  receive(listener: RequestListener, events?: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

async function openPage(
  browser: Browser,
  { path = "/", ...options }: BrowserContextOptions & { path?: string } = {},
  sandboxOptions: SandboxOptions = {},
): Promise<PageWorld> {
  const sandbox = createSandbox(sandboxOptions);
  const served = await sandbox.serve({ port: 0 });
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("console", (message) => {
    // A violation of the policy is told to the console as an error.
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  const receivers: Server[] = [];
  await page.goto(served.url + path);
  if (options.javaScriptEnabled !== false) await page.getByText("live", { exact: true }).waitFor();

  async function call(where: string, body: object) {
    const response = await fetch(served.baseUrl + where, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data: Record<string, string> };
    return data;
  }

  return {
    sandbox,
    served,
    page,
    troubles,
    call,
    pay: async (order = {}) => {
      const given = { amount: 1500, phone: PHONE, account_reference: "ORDER-42", ...order };
      const { reference = "" } = await call("/mobile-money/payment/initiate", given);
      return reference;
    },
    receive: async (listener, events = ["payment.completed"]) => {
      const receiver = createServer(listener).listen(0, "127.0.0.1");
      receivers.push(receiver);
      await once(receiver, "listening");
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
      await call("/webhooks/register", { name: "shop", url, events });
      return url;
    },
    close: async () => {
      await context.close();
      await served.close();
      for (const receiver of receivers) {
        receiver.closeAllConnections();
        receiver.close();
      }
    },
  };
}

/**
 * One browser for the tests around it, and a world for each that opens one. Whatever troubles a page
 * fails its test.
 */
export function worldInBrowser() {
  let browser: Browser;
  const world = {} as PageWorld;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    expect(world.troubles).toEqual([]);
    await world.close();
  });
  type Options = Parameters<typeof openPage> extends [Browser, ...infer Rest] ? Rest : never;
  const open = async (...options: Options): Promise<PageWorld> =>
    Object.assign(world, await openPage(browser, ...options));
  return { world, open };
}
