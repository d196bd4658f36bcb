import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { createContext, runInContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { ENTRY_POINTS, moduleName } from "../../scripts/entry-points.ts";

const nodeRequire = createRequire(import.meta.url);
const { imports } = JSON.parse(readFileSync("package.json", "utf8"));

/** What Jest's environment for jsdom has of Node's globals; `TextEncoder`, `fetch`, `Response` and others are missing. */
const GLOBALS = { process, Buffer, URL, URLSearchParams, Headers, Blob, AbortController };
const MORE = { AbortSignal, EventTarget, Event, setTimeout, clearTimeout, btoa, atob, performance };
const { crypto, queueMicrotask, console } = globalThis;
const document = {};

/** Loads the CommonJS build in a context of its own, as Jest does: by the conditions `browser` and `require`. */
function loadUnderJsdom(entry: string): Record<string, unknown> {
  const context = createContext({ ...GLOBALS, ...MORE, crypto, queueMicrotask, console, document });
  const modules = new Map<string, { exports: Record<string, unknown> }>();
  const load = (path: string): Record<string, unknown> => {
    const known = modules.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(path, module);
    const require = (name: string): unknown => {
      if (name.startsWith(".")) return load(resolve(dirname(path), name));
      const chosen = imports[name]?.default?.require;
      return chosen === undefined ? nodeRequire(name) : load(resolve(chosen));
    };
    const text = `(function (module, exports, require) {${readFileSync(path, "utf8")}\n})`;
    runInContext(text, context, { filename: path })(module, module.exports, require);
    return module.exports;
  };
  return load(join(process.cwd(), `dist/${entry}.cjs`));
}

test.each(Object.keys(ENTRY_POINTS))("%s loads without the globals that jsdom hides", (entry) => {
  expect(existsSync(`dist/${entry}.cjs`)).toBe(true);
  expect(typeof loadUnderJsdom(entry)).toBe("object");
});

describe(`without the globals that jsdom hides, ${moduleName("webhooks")}`, () => {
  test("signs and verifies a text and bytes", () => {
    const { signWebhook, verifyWebhook } = loadUnderJsdom(
      "webhooks",
    ) as typeof import("malipo/webhooks");
    const body = JSON.stringify({ event: "payment.completed", timestamp: "", data: { name: "Ö" } });
    for (const one of [body, Buffer.from(body)]) {
      const signature = signWebhook(one, "secret");
      expect(verifyWebhook({ body: one, signature, secret: "secret" }).event).toBe(
        "payment.completed",
      );
    }
  });
});

const ADVICE = "@jest-environment node";

describe("without the globals that jsdom hides, one sentence names the environment for Jest if", () => {
  test("a gateway makes a call", async () => {
    const { Gateway } = loadUnderJsdom("index") as typeof import("malipo");
    const gateway = new Gateway({ apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1" });
    await expect(gateway.payments.get("PAY-1")).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(ADVICE),
    });
  });

  test("a sandbox is created", () => {
    const { createSandbox } = loadUnderJsdom("sandbox") as typeof import("malipo/sandbox");
    expect(() => createSandbox()).toThrow(ADVICE);
  });
});
