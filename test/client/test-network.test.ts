import { ConfigurationError, Gateway, type GatewayOptions } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KEYS } from "./support/gateway.ts";
import { json, script } from "./support/responses.ts";

beforeEach(() => vi.stubEnv("MALIPO_TEST_NETWORK", undefined));
afterEach(() => vi.unstubAllEnvs());

const baseUrl = "http://gateway:4010/api/v1";
const NETWORK_KEY = "sb_net_4f9a";
const SETUP = { apiKey: NETWORK_KEY as string, baseUrl, testNetwork: true };

const made = (options: GatewayOptions) => () => new Gateway({ ...SETUP, ...options });

describe("http: to a sandbox in another container", () => {
  test.each([
    baseUrl,
    "http://gateway.internal:4010",
    "http://gateway.shop.svc.cluster.local",
    "http://10.0.0.5:4010",
    "http://172.16.0.1",
    "http://172.31.255.1",
    "http://192.168.1.10",
    "http://[fd00::1]:4010",
  ])("is accepted at %s, with testNetwork and the key of a network", async (url) => {
    const { fetch, sent } = script(json({ data: {} }));
    await new Gateway({ ...SETUP, baseUrl: url, fetch }).merchant.get();
    expect(sent[0]?.url).toBe(`${url}/merchant`);
    expect(sent[0]?.headers.get("x-api-key")).toBe(NETWORK_KEY);
  });

  test.each([
    "http://gateway.example",
    "http://8.8.8.8",
    "http://11.0.0.1",
    "http://172.15.0.1",
    "http://172.32.0.1",
    "http://192.169.1.1",
    "http://[2001:db8::1]",
    "http://[fc::1]",
    "http://[fc:a::1]",
    // A link-local address is none without its interface, which a URL cannot name.
    "http://[fe80::1]:4010",
    "http://10.0.0.1.example",
    "http://gateway.internal.example",
    "http://internal.example",
    "ftp://gateway",
  ])("is never accepted at %s", (url) => {
    expect(made({ baseUrl: url })).toThrow(ConfigurationError);
  });

  test.each([KEYS.secret, KEYS.public, KEYS.sandbox, "sb_net_", "sk_net_4f9a", "sk_sb_net_4f9a"])(
    "is never accepted with the key %s",
    (apiKey) => {
      expect(made({ apiKey })).toThrow("`baseUrl` must start with https:");
      vi.stubEnv("MALIPO_TEST_NETWORK", "1");
      expect(made({ apiKey, testNetwork: undefined })).toThrow("`baseUrl` must start with https:");
    },
  );

  test("is not accepted without testNetwork, and the message says how it would be", () => {
    for (const testNetwork of [undefined, false]) {
      expect(made({ testNetwork })).toThrow(
        "For a sandbox in another container, set all that `malipo env --url` prints, or `testNetwork: true` and its key sb_net_...",
      );
    }
    expect(made({ baseUrl: "http://gateway.example" })).not.toThrow("sb_net_");
  });

  test("is accepted if the environment says so, unless the option says no", () => {
    vi.stubEnv("MALIPO_TEST_NETWORK", "1");
    expect(made({ testNetwork: undefined })).not.toThrow();
    expect(made({ testNetwork: false })).toThrow(ConfigurationError);
    vi.stubEnv("MALIPO_TEST_NETWORK", "yes");
    expect(made({ testNetwork: undefined })).toThrow("`malipo env --url` prints");
    expect(made({ testNetwork: "yes" as never })).toThrow(
      "`testNetwork` must be one of true, false",
    );
  });
});

describe("a receiver with a private name", () => {
  const hook = { name: "shop", url: "http://shop:3000/webhooks" };

  test("is registered and changed in a test network", async () => {
    const { fetch, sent } = script(json({ data: { id: 1 } }), json({ data: { id: 1 } }));
    const { webhooks } = new Gateway({ ...SETUP, fetch });
    await webhooks.register(hook);
    await webhooks.update(1, { url: hook.url });
    expect(sent).toHaveLength(2);
  });

  test("is rejected with any other key, and before anything is sent", async () => {
    const { fetch, sent } = script(json({ data: {} }));
    const options = { baseUrl: "https://gateway.test", testNetwork: true, fetch };
    const { webhooks } = new Gateway({ ...options, apiKey: KEYS.secret as string });
    await expect(webhooks.register(hook)).rejects.toMatchObject({ code: "invalid_params" });
    await expect(webhooks.update(1, hook)).rejects.toMatchObject({ code: "invalid_params" });
    expect(sent).toHaveLength(0);
  });
});
