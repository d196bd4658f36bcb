import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { Gateway } from "malipo";
import { nodeHandler } from "malipo/node";
import { createWebhookReceiver } from "malipo/webhooks";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Check } from "../../src/cli/diagnosis/check.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { isPrivateHost } from "../../src/internal/urls.ts";
import { malipo, startSandbox } from "./in-process.ts";

/** An address of this machine that is not loopback, as another container would use it. Nothing leaves the machine. */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((list = []) => list)
  .map(({ address }) => (isIPv6(address) ? `[${address}]` : address))
  .find(isPrivateHost);

afterEach(() => vi.unstubAllEnvs());

const portOf = ([, url = ""]: readonly string[]): string => new URL(url).port;

async function networkSandbox(name: string) {
  const sandbox = await startSandbox(["--network", name]);
  onTestFinished(async () => {
    await sandbox.stop();
  });
  return sandbox;
}

describe.skipIf(ADDRESS === undefined)("malipo sandbox --network", () => {
  const name = ADDRESS ?? "";

  test("serves a shop that reaches it under that name, with the settings of malipo env", async () => {
    const { url } = await networkSandbox(name);
    const origin = `http://${name}:${portOf(url)}`;
    const env = await malipo(["env", "--json", "--url", origin]);
    const variables = env.json() as Record<string, string>;
    expect(variables).toEqual({
      MALIPO_BASE_URL: `${origin}/api/v1`,
      MALIPO_API_KEY: expect.stringMatching(/^sb_net_/),
      MALIPO_WEBHOOK_SECRET: expect.any(String),
      MALIPO_TEST_NETWORK: "1",
    });
    for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, String(value));
    const receiver = createWebhookReceiver({ secret: variables.MALIPO_WEBHOOK_SECRET ?? "" });
    const paid = new Promise<string>((resolve) => {
      receiver.on("payment.completed", async ({ data }) => resolve(data.reference));
    });
    await receiver.start();
    const shop = createServer(nodeHandler(receiver)).listen(0, name.replace(/[[\]]/g, ""));
    await once(shop, "listening");
    onTestFinished(async () => {
      await receiver.stop();
      shop.close();
    });
    const gateway = new Gateway();
    const { port } = shop.address() as AddressInfo;
    await gateway.webhooks.register({
      name: "shop",
      url: `http://${name}:${port}/webhooks`,
      events: ["payment.completed"],
    });
    const { reference } = await gateway.mobileMoney.initiate({ amount: 10, phone: "0712345678" });
    await malipo(["phone", "approve", "0712345678", "--url", origin]);
    expect(await paid).toBe(reference);

    const doctor = await malipo(["doctor", "--json"], { env: variables });
    const { checks } = doctor.json() as { checks: Check[] };
    const found = (check: string) => checks.find((one) => one.name === check);
    expect(found("key")?.detail).toContain("a sandbox in a test network");
    expect(found("TLS")?.detail).toBe("not used: http in a test network");
    expect(found("service")?.state).toBe("ok");
  });

  test("is what malipo env asks for if a sandbox only listens for other machines", async () => {
    const { url, stop } = await startSandbox(["--host", name.startsWith("[") ? "::" : "0.0.0.0"]);
    onTestFinished(async () => {
      await stop();
    });
    const origin = `http://${name}:${portOf(url)}`;
    const { code, stderr } = await malipo(["env", "--url", origin]);
    expect(code).not.toBe(EXIT.ok);
    expect(stderr).toContain(`malipo sandbox --network ${name}`);
  });
});

test.each(["gateway.example", "8.8.8.8", "http://gateway", "gateway:4010", "Gateway", ""])(
  "malipo sandbox --network %j is rejected: it is no private name",
  async (name) => {
    const { code, stderr } = await malipo(["sandbox", "--port", "0", "--network", name]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("--network must be a private name");
  },
);

test("the doctor says how a shop reaches a sandbox in another container", async () => {
  const env = { MALIPO_API_KEY: "sk_sandbox_1", MALIPO_BASE_URL: "http://gateway:4010/api/v1" };
  const { json, code } = await malipo(["doctor", "--json"], { env });
  expect(code).toBe(EXIT.failed);
  const { checks } = json() as { checks: Check[] };
  const baseUrl = checks.find((one) => one.name === "base URL");
  expect(baseUrl).toMatchObject({ state: "fail" });
  expect(baseUrl?.detail).toContain("`malipo env --url` prints");
});
