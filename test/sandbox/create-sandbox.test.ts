import { ConfigurationError } from "malipo";
import { createSandbox, type SandboxOptions } from "malipo/sandbox";
import { describe, expect, onTestFinished, test, vi } from "vitest";

describe("a sandbox", () => {
  test("can be created without options", () => {
    const sandbox = createSandbox();
    expect(sandbox.baseUrl).toBe("https://sandbox.malipo.test/api/v1");
    expect(sandbox.keys).toEqual({
      public: expect.stringMatching(/^pk_\w+$/),
      secret: expect.stringMatching(/^sk_\w+$/),
      sandbox: expect.stringMatching(/^sb_\w+$/),
    });
    expect(sandbox.webhookSecret).toMatch(/^\S{16,}$/);
  });

  test("does not load fetch when it is created", () => {
    const read = vi.spyOn(globalThis, "Response", "get");
    onTestFinished(() => read.mockRestore());
    createSandbox();
    expect(read).not.toHaveBeenCalled();
  });

  test("uses the default of every option that is undefined", () => {
    const none = { seed: undefined, clock: undefined, auto: undefined, limits: undefined };
    const sandbox = createSandbox({ ...none, deliveryTimeoutMs: undefined, deliver: undefined });
    expect(sandbox.snapshot()).toEqual(createSandbox().snapshot());
  });

  test.each<[string, object]>([
    ["an unknown option", { sead: "mine" }],
    ["an option of another place", { port: 4010 }],
    ["an unknown clock", { clock: "fast" }],
    ["a clock of null", { clock: null }],
    ["an unknown auto", { auto: "cancel" }],
    ["an unknown limit", { limits: { max: 5 } }],
    ["a limit that is not a number", { limits: { maxAmount: "70000" } }],
    ["a limit of NaN", { limits: { minAmount: Number.NaN } }],
    ["a limit below 0", { limits: { minAmount: -1 } }],
    ["a timeout of 0", { deliveryTimeoutMs: 0 }],
    ["a timeout without an end", { deliveryTimeoutMs: Number.POSITIVE_INFINITY }],
    ["a timeout that is not a number", { deliveryTimeoutMs: "soon" }],
    ["a timeout that no timer can count", { deliveryTimeoutMs: 2 ** 31 }],
    ["a sender that is not a function", { deliver: "https://shop.example.test" }],
  ])("is not created with %s", (_, options) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(ConfigurationError);
  });

  test.each<[string, object]>([
    ["an unknown option", { kind: "secret", scope: [] }],
    ["no kind", {}],
    ["an unknown kind", { kind: "private" }],
    ["an inherited name for a kind", { kind: "constructor" }],
  ])("creates no key with %s", (_, options) => {
    const sandbox = createSandbox();
    const before = sandbox.snapshot();
    expect(() => sandbox.createKey(options as { kind: "secret" })).toThrow(ConfigurationError);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("returns copies of its keys", () => {
    const sandbox = createSandbox();
    const { secret } = sandbox.keys;
    (sandbox.keys as { secret: string }).secret = "sk_other";
    expect(sandbox.keys.secret).toBe(secret);
  });
});

describe("its fetch", () => {
  const sandbox = createSandbox();
  const headers = { "x-api-key": sandbox.keys.public };
  const merchant = `${sandbox.baseUrl}/merchant`;

  test.each<[string, () => Promise<Response>]>([
    ["a string", () => sandbox.fetch(merchant, { headers })],
    ["a URL", () => sandbox.fetch(new URL(merchant), { headers })],
    ["a Request", () => sandbox.fetch(new Request(merchant, { headers }))],
    ["a Request and an init", () => sandbox.fetch(new Request(merchant), { headers })],
    ["a lower-case method", () => sandbox.fetch(merchant, { method: "get", headers })],
    [
      "capitals in the host",
      () => sandbox.fetch(merchant.replace("sandbox", "SANDBOX"), { headers }),
    ],
    ["Headers", () => sandbox.fetch(merchant, { headers: new Headers(headers) })],
    ["a list of headers", () => sandbox.fetch(merchant, { headers: Object.entries(headers) })],
  ])("accepts %s", async (_, ask) => {
    const response = await ask();
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect((await response.json()).success).toBe(true);
  });

  const bytes = new TextEncoder().encode('{"note":"é"}');
  test.each<[string, () => RequestInit]>([
    ["a string", () => ({ body: '{"note":"é"}' })],
    ["bytes", () => ({ body: bytes })],
    ["a Blob", () => ({ body: new Blob([bytes]) })],
    ["a stream", () => ({ body: new Blob([bytes]).stream(), duplex: "half" }) as RequestInit],
  ])("accepts a body as %s", async (_, init) => {
    const secret = { "x-api-key": sandbox.keys.secret };
    const request = { method: "POST", headers: secret, ...init() };
    const response = await sandbox.fetch(`${sandbox.baseUrl}/invoices`, request);
    expect((await response.json()).data.note).toBe("é");
  });

  test.each([
    "https://api.example.test/api/v1/merchant",
    "http://sandbox.malipo.test/api/v1/merchant",
    "https://sandbox.malipo.test/merchant",
    "https://sandbox.malipo.test/api/v12/merchant",
    "https://sandbox.malipo.test/api/v1/../v2/merchant",
    "https://sandbox.malipo.test.example.test/api/v1/merchant",
    "/merchant",
  ])("rejects an address that is not below the base URL: %s", async (address) => {
    await expect(sandbox.fetch(address, { headers })).rejects.toThrow(TypeError);
  });
});
