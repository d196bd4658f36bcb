import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium, launchChromium } from "../support/chromium.ts";

/** What a page of a merchant's loads: the package, bundled for browsers. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { Gateway } from "malipo";
        import { verifyWebhook, signWebhook } from "malipo/webhooks";
        globalThis.malipo = { Gateway, verifyWebhook, signWebhook };
      `,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    platform: "browser",
    // Ours lead to the sources; a merchant's would not.
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
}

describe.skipIf(!hasChromium)("in a browser", () => {
  const sandbox = createSandbox();
  let browser: Browser;
  let site: Server;
  let service: ServedSandbox;
  let page: Page;
  /** Addresses that the page asked for at the service. */
  const asked: string[] = [];

  beforeAll(async () => {
    const script = await bundle();
    site = createServer((request, response) => {
      const isScript = request.url === "/malipo.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : `<!doctype html><script src="/malipo.js"></script>`);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    service = await sandbox.serve({ port: 0 });
    browser = await launchChromium();
    page = await browser.newPage();
    page.on("request", (request) => {
      if (request.url().startsWith(service.url)) asked.push(request.url());
    });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    site?.close();
  });

  /** Runs code in the page, or in a worker of it, with a gateway's options at hand. */
  async function inPage(code: string, apiKey: string, where: "window" | "worker" = "window") {
    asked.length = 0;
    const body = `
      const options = ${JSON.stringify({ apiKey, baseUrl: service.baseUrl })};
      return (async () => { const { Gateway } = malipo; ${code} })()
        .then(String, (error) => error.name + ": " + error.outcome);
    `;
    return page.evaluate(
      async ([source, place]) => {
        if (place === "window") return new Function(source)() as Promise<string>;
        const origin = JSON.stringify(location.origin);
        const text = `importScripts(${origin} + "/malipo.js"); (function () {${source}})().then((said) => postMessage(said));`;
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        return new Promise<string>((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
        });
      },
      [body, where] as const,
    );
  }

  const initiate = `await new Gateway(options).mobileMoney.initiate({ amount: 10, phone: "0712345678" })`;
  const read = `return (await new Gateway(options).payments.list()).items.length`;

  test.each(["window", "worker"] as const)(
    "a public key reads across origins from a %s",
    async (where) => {
      expect(await inPage(read, sandbox.keys.public, where)).toBe("0");
      expect(asked.length).toBeGreaterThan(0);
    },
  );

  test.each(["window", "worker"] as const)(
    "a secret key is refused in a %s before any request",
    async (where) => {
      expect(await inPage(read, sandbox.keys.secret, where)).toBe("ConfigurationError: not_sent");
      expect(asked).toEqual([]);
    },
  );

  test("a sandbox key reads, and is refused what a public key may not do", async () => {
    expect(await inPage(read, sandbox.keys.sandbox)).toBe("0");
    expect(await inPage(initiate, sandbox.keys.sandbox)).toBe("KeyTypeError: not_sent");
    expect(asked).toEqual([]);
  });

  test("a public key is refused a payment before any request", async () => {
    expect(await inPage(initiate, sandbox.keys.public)).toBe("KeyTypeError: not_sent");
    expect(asked).toEqual([]);
  });

  test("a merchant who insists may use a secret key", async () => {
    const insist = `options.dangerouslyAllowBrowser = true; ${initiate}; return "sent"`;
    expect(await inPage(insist, sandbox.keys.secret)).toBe("sent");
  });

  test("webhooks verify with the same answer as on a server", async () => {
    const code = `
      const body = JSON.stringify({ event: "invoice.paid", timestamp: "", data: {} });
      const signature = malipo.signWebhook(body, "s");
      const bytes = new TextEncoder().encode(body);
      return malipo.verifyWebhook({ body: bytes, signature, secret: ["other", "s"] }).event;
    `;
    expect(await inPage(code, "")).toBe("invoice.paid");
  });
});
