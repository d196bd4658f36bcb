import { ConfigurationError, Gateway, type GatewayOptions } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fc } from "../support/properties.ts";
import { BASE_URL, KEYS } from "./support/gateway.ts";
import { json, script } from "./support/responses.ts";

beforeEach(() => {
  vi.stubEnv("MALIPO_API_KEY", undefined);
  vi.stubEnv("MALIPO_BASE_URL", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const SETUP = { apiKey: KEYS.secret as string, baseUrl: BASE_URL };

/** Options as someone without a compiler may write them. */
const set = (options: Record<string, unknown>) => () =>
  new Gateway({ ...SETUP, ...options } as GatewayOptions);

/** The first request of a gateway with these options. */
async function firstRequest(options: GatewayOptions) {
  const { fetch, sent } = script(json({ data: {} }));
  await new Gateway({ fetch, ...options }).merchant.get();
  return sent[0] ?? expect.unreachable();
}

function configurationError(make: () => unknown): ConfigurationError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
    return error as ConfigurationError;
  }
  return expect.unreachable("It was accepted.");
}

describe("the key", () => {
  test.each([
    ["white space before it", " sk_live_1"],
    ["white space after it", "sk_live_1 "],
    ["white space in it", "sk_live 1"],
    ["a line end", "sk_live_1\n"],
    ["a Windows line end", "sk_live_1\r\n"],
    ["a tab", "sk_live\t1"],
    ["a no-break space", "sk_live_1\u00a0"],
    ["a zero-width space", "sk_live_1\u200b"],
    ["a control character", "sk_live_1\u0000"],
    ["a letter that no header carries", "sk_live_é"],
    ["another prefix", "rk_live_1"],
    ["no prefix", "live_1"],
    ["a prefix in capitals", "SK_live_1"],
    ["a prefix and no more", "sk_"],
    ["nothing", ""],
    ["no text", 42],
    ["null", null],
  ])("is rejected with %s", (_, apiKey) => {
    const { message } = configurationError(set({ apiKey }));
    expect(message).toMatch(/API key/);
    if (typeof apiKey === "string" && apiKey.length > 3) expect(message).not.toContain(apiKey);
  });

  test("is asked for by the names of its option and its environment variable", () => {
    const { message } = configurationError(() => new Gateway({ baseUrl: BASE_URL }));
    expect(message).toContain("`apiKey`");
    expect(message).toContain("MALIPO_API_KEY");
  });

  test.each(["pk_", "sk_", "sb_"])("may be any printable ASCII after %s", (prefix) => {
    const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit: printable, minLength: 1 }), (rest) => {
        expect(set({ apiKey: prefix + rest })).not.toThrow();
      }),
    );
  });

  test.each([
    [undefined, "x-api-key", KEYS.secret],
    ["x-api-key", "x-api-key", KEYS.secret],
    ["bearer", "authorization", `Bearer ${KEYS.secret}`],
  ] as const)("is sent as `auth` says: %s", async (auth, name, value) => {
    const { headers } = await firstRequest({ ...SETUP, auth });
    expect(headers.get(name)).toBe(value);
    expect(headers.has(name === "authorization" ? "x-api-key" : "authorization")).toBe(false);
  });
});

describe("the base URL", () => {
  test.each([
    ["https://gateway.test", "https://gateway.test/merchant"],
    ["https://gateway.test/", "https://gateway.test/merchant"],
    ["https://gateway.test/api/v1", "https://gateway.test/api/v1/merchant"],
    ["https://gateway.test/api/v1///", "https://gateway.test/api/v1/merchant"],
    ["https://gateway.test:8443/a%20b", "https://gateway.test:8443/a%20b/merchant"],
    ["http://localhost:4010/api", "http://localhost:4010/api/merchant"],
    ["http://shop.localhost/api", "http://shop.localhost/api/merchant"],
    ["http://127.0.0.1:4010", "http://127.0.0.1:4010/merchant"],
    ["http://127.8.8.8", "http://127.8.8.8/merchant"],
    ["http://[::1]:4010", "http://[::1]:4010/merchant"],
  ])("%s puts the merchant at %s", async (baseUrl, url) => {
    expect((await firstRequest({ ...SETUP, baseUrl })).url).toBe(url);
    expect((await firstRequest({ ...SETUP, baseUrl: new URL(baseUrl) })).url).toBe(url);
  });

  test.each([
    "http://gateway.test",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://localhost.gateway.test",
    "http://127.0.0.1.gateway.test",
    "ftp://gateway.test",
    "ws://localhost",
    "file:///srv",
    "gateway.test/api",
    "/api/v1",
    "https://",
    "",
    "https://user@gateway.test",
    "https://user:word@gateway.test",
    "https://gateway.test/?a=1",
    "https://gateway.test/#a",
  ])("%j is rejected", (baseUrl) => {
    expect(configurationError(set({ baseUrl })).message).toContain("`baseUrl`");
  });

  test.each([
    ["localhost:4010", "Write http:// before it"],
    ["127.0.0.1:4010/v1", "Write http:// before it"],
    ["gateway.test:443/v1", "Write https:// before it"],
  ])("%j has no scheme: the message names the one to write", (baseUrl, message) => {
    expect(configurationError(set({ baseUrl })).message).toContain(message);
  });

  test("is asked for in the constructor, by the names of its option and its environment variable", () => {
    const { message } = configurationError(() => new Gateway({ apiKey: KEYS.secret }));
    expect(message).toContain("`baseUrl`");
    expect(message).toContain("MALIPO_BASE_URL");
  });
});

describe("the environment", () => {
  test("provides the key and the base URL if no option does", async () => {
    vi.stubEnv("MALIPO_API_KEY", "pk_env_1");
    vi.stubEnv("MALIPO_BASE_URL", "https://env.test/v1");
    const { url, headers } = await firstRequest({});
    expect([url, headers.get("x-api-key")]).toEqual(["https://env.test/v1/merchant", "pk_env_1"]);
  });

  test("is ignored if there is an option", async () => {
    vi.stubEnv("MALIPO_API_KEY", "pk_env_1");
    vi.stubEnv("MALIPO_BASE_URL", "https://env.test/v1");
    const { url, headers } = await firstRequest(SETUP);
    expect([url, headers.get("x-api-key")]).toEqual([`${BASE_URL}/merchant`, KEYS.secret]);
  });

  test.each([
    ["MALIPO_API_KEY", "https://env.test"],
    ["MALIPO_BASE_URL", "pk_env_1"],
  ])("an empty %s counts as missing", (name) => {
    vi.stubEnv("MALIPO_API_KEY", "pk_env_1");
    vi.stubEnv("MALIPO_BASE_URL", "https://env.test");
    vi.stubEnv(name, "");
    expect(configurationError(() => new Gateway()).message).toContain(name);
  });

  test.each([
    ["is missing", undefined],
    ["is empty", {}],
    [
      "may not be read",
      {
        get env() {
          throw new Error("denied");
        },
      },
    ],
  ])("counts as empty if it %s", (_, process) => {
    vi.stubGlobal("process", process);
    const error = configurationError(() => new Gateway());
    vi.unstubAllGlobals();
    expect(error.message).toContain("The API key is missing");
  });

  test("is checked as an option is", () => {
    vi.stubEnv("MALIPO_API_KEY", "sk_env_1\n");
    configurationError(() => new Gateway({ baseUrl: BASE_URL }));
    vi.stubEnv("MALIPO_BASE_URL", "http://env.test");
    configurationError(() => new Gateway({ apiKey: KEYS.secret }));
  });
});

describe("an option", () => {
  test.each(["apikey", "baseURL", "timeout", "retries", "headers", "signal", "toString", ""])(
    "that does not exist is rejected with the names that do: %j",
    (name) => {
      const { message } = configurationError(set({ [name]: undefined }));
      expect(message).toContain(`"${name}"`);
      expect(message).toContain("totalTimeoutMs");
    },
  );

  test.each(["onRequest", "requests", "error"])(
    "of hooks that does not exist is rejected: %s",
    (name) => {
      const { message } = configurationError(set({ hooks: { [name]: () => {} } }));
      expect(message).toContain(`"${name}"`);
      expect(message).toContain("request, response, retry, drift");
    },
  );

  test("that is undefined has its default", async () => {
    const { url } = await firstRequest({
      ...SETUP,
      auth: undefined,
      timeoutMs: undefined,
      totalTimeoutMs: undefined,
      maxRetries: undefined,
      hooks: { request: undefined, response: undefined, retry: undefined, drift: undefined },
      dangerouslyAllowBrowser: undefined,
    });
    expect(url).toBe(`${BASE_URL}/merchant`);
  });

  test.each([["basic"], ["X-API-Key"], [null], [1]])("`auth` is not %j", (auth) => {
    expect(configurationError(set({ auth })).message).toContain("`auth`");
  });

  test.each([["https://x.test"], [null], [{}]])("`fetch` is not %j", (fetch) => {
    expect(configurationError(set({ fetch })).message).toContain("`fetch`");
  });

  test("`fetch` is the global one at the time of the call by default", async () => {
    const gateway = new Gateway(SETUP);
    const { fetch, sent } = script(json({ data: {} }));
    vi.stubGlobal("fetch", fetch);
    await gateway.merchant.get();
    expect(sent).toHaveLength(1);
  });
});
