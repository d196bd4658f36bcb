import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { bundledSite } from "./bundled-site.ts";

const SCRIPT = `
  import { Gateway } from "malipo";
  import { verifyWebhook, signWebhook } from "malipo/webhooks";
  globalThis.malipo = { Gateway, verifyWebhook, signWebhook };
`;

describe.skipIf(!hasChromium)("in a browser", () => {
  const { sandbox, service, page, requests } = bundledSite(SCRIPT);

  /** Runs code in the page, or in a worker of it, with a gateway's options at hand. */
  async function inPage(code: string, apiKey: string, target: "window" | "worker" = "window") {
    requests.length = 0;
    const body = `
      const options = ${JSON.stringify({ apiKey, baseUrl: service().baseUrl })};
      return (async () => { const { Gateway } = malipo; ${code} })()
        .then(String, (error) => error.name + ": " + error.outcome);
    `;
    return page().evaluate(
      async ([source, place]) => {
        if (place === "window") return new Function(source)() as Promise<string>;
        const origin = JSON.stringify(location.origin);
        const text = `importScripts(${origin} + "/site.js"); (function () {${source}})().then((result) => postMessage(result));`;
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        return new Promise<string>((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
        });
      },
      [body, target] as const,
    );
  }

  const initiate = `await new Gateway(options).mobileMoney.initiate({ amount: 10, phone: "0712345678" })`;
  const read = `return (await new Gateway(options).payments.list()).items.length`;

  test.each(["window", "worker"] as const)(
    "a public key reads across origins from a %s",
    async (target) => {
      expect(await inPage(read, sandbox.keys.public, target)).toBe("0");
      expect(requests.length).toBeGreaterThan(0);
    },
  );

  test.each(["window", "worker"] as const)(
    "a secret key is rejected in a %s before any request",
    async (target) => {
      expect(await inPage(read, sandbox.keys.secret, target)).toBe("ConfigurationError: not_sent");
      expect(requests).toEqual([]);
    },
  );

  test("a sandbox key reads, and is rejected for what a public key may not do", async () => {
    expect(await inPage(read, sandbox.keys.sandbox)).toBe("0");
    expect(await inPage(initiate, sandbox.keys.sandbox)).toBe("KeyTypeError: not_sent");
    expect(requests).toEqual([]);
  });

  test("a public key is rejected for a payment before any request", async () => {
    expect(await inPage(initiate, sandbox.keys.public)).toBe("KeyTypeError: not_sent");
    expect(requests).toEqual([]);
  });

  test("a secret key is allowed with dangerouslyAllowBrowser", async () => {
    const code = `options.dangerouslyAllowBrowser = true; ${initiate}; return "sent"`;
    expect(await inPage(code, sandbox.keys.secret)).toBe("sent");
  });

  test("webhooks are verified with the same result as on a server", async () => {
    const code = `
      const body = JSON.stringify({ event: "invoice.paid", timestamp: "", data: {} });
      const signature = malipo.signWebhook(body, "s");
      const bytes = new TextEncoder().encode(body);
      return malipo.verifyWebhook({ body: bytes, signature, secret: ["other", "s"] }).event;
    `;
    expect(await inPage(code, "")).toBe("invoice.paid");
  });
});
