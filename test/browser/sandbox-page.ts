import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type ServedSandbox,
} from "malipo/sandbox";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { browserForSuite } from "./browser-for-suite.ts";

export const PHONE = "0712345678";
export const DESKTOP = { width: 1280, height: 860 };
export const NARROW = { width: 390, height: 844 };

/** A served sandbox, and its page open in a browser. */
export interface SandboxPage {
  readonly sandbox: Sandbox;
  readonly served: ServedSandbox;
  readonly page: Page;
  /** Errors in the console, failed scripts, violations of the content security policy. */
  readonly errors: string[];
  /** The phone, its open prompt, and the prompt's PIN field. */
  readonly phone: Locator;
  readonly prompt: Locator;
  readonly pin: Locator;
  /** The rows of the two lists. */
  readonly payments: Locator;
  readonly deliveries: Locator;
  call(path: string, body: object): Promise<Record<string, string>>;
  /** Starts a payment as a merchant does, and returns its reference. */
  pay(fields?: Record<string, unknown>): Promise<string>;
  /** Registers a receiver, and returns its address. */
  receive(listener: RequestListener, events?: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

async function openSandboxPage(
  browser: Browser,
  { path = "/", ...options }: BrowserContextOptions & { path?: string } = {},
  sandboxOptions: SandboxOptions = {},
): Promise<SandboxPage> {
  const sandbox = createSandbox(sandboxOptions);
  const served = await sandbox.serve({ port: 0, command: "npm run sandbox" });
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => {
    // A violation of the policy is an error in the console.
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const receivers: Server[] = [];
  await page.goto(served.url + path);
  if (options.javaScriptEnabled !== false) await page.getByText("live", { exact: true }).waitFor();

  async function call(path: string, body: object) {
    const response = await fetch(served.baseUrl + path, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data: Record<string, string> };
    return data;
  }

  const prompt = page.locator("#phone .dialog");
  return {
    sandbox,
    served,
    page,
    errors,
    phone: page.locator("#phone"),
    prompt,
    pin: prompt.getByLabel("PIN", { exact: true }),
    payments: page.locator("#payments .row"),
    deliveries: page.locator("#deliveries .row"),
    call,
    pay: async (fields = {}) => {
      const given = { amount: 1500, phone: PHONE, account_reference: "ORDER-42", ...fields };
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

type OpenOptions =
  Parameters<typeof openSandboxPage> extends [Browser, ...infer Rest] ? Rest : never;

/**
 * One browser for the tests of a suite, and a sandbox page for each test that opens one. A test fails
 * if its page has an error.
 */
export function sandboxPageSuite() {
  const browser = browserForSuite();
  const opened: SandboxPage[] = [];
  afterEach(async () => {
    for (const { errors, close } of opened.splice(0)) {
      await close();
      expect(errors).toEqual([]);
    }
  });
  return async (...options: OpenOptions): Promise<SandboxPage> => {
    const sandboxPage = await openSandboxPage(browser(), ...options);
    opened.push(sandboxPage);
    return sandboxPage;
  };
}
