import { createSandbox, type Sandbox, type SandboxOptions } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const URL_OF_SHOP = "http://shop:3000/webhooks";

/** A sandbox, and the addresses to which it sent. */
function sandboxWith(options: SandboxOptions = {}) {
  const sent: string[] = [];
  const deliver = async ({ url }: Request) => {
    sent.push(url);
    return new Response("");
  };
  return { sandbox: createSandbox({ deliver, ...options }), sent };
}

const call = ({ fetch, baseUrl, keys }: Sandbox, path: string, body: object, key = keys.sandbox) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: { "x-api-key": key },
    body: JSON.stringify(body),
  });

const register = (sandbox: Sandbox, url = URL_OF_SHOP) =>
  call(sandbox, "/webhooks/register", { name: "shop", url, events: ["payment.completed"] });

async function pay(sandbox: Sandbox): Promise<void> {
  await call(sandbox, "/mobile-money/payment/initiate", { amount: 10, phone: "0712345678" });
  sandbox.phone("0712345678").approve();
  await sandbox.deliveries.settled();
}

describe("a sandbox in a test network", () => {
  test("has a key with its own mark, also after it was revoked", () => {
    const { sandbox } = sandboxWith({ testNetwork: true });
    expect(sandbox.keys.sandbox).toMatch(/^sb_net_\w{24}$/);
    expect(sandbox.keys.secret).toMatch(/^sk_sandbox_/);
    expect(sandbox.revokeKey(sandbox.keys.sandbox)).toMatch(/^sb_net_/);
    expect(sandbox.createKey({ kind: "sandbox" })).toMatch(/^sb_net_/);
    expect(createSandbox().keys.sandbox).toMatch(/^sb_sandbox_/);
  });

  test("sends events to a private name, and to no public one by http:", async () => {
    const { sandbox, sent } = sandboxWith({ testNetwork: true });
    expect((await register(sandbox)).status).toBe(201);
    expect((await register(sandbox, "http://shop.example/webhooks")).status).toBe(422);
    await pay(sandbox);
    expect(sent).toEqual([URL_OF_SHOP]);
  });

  test("gives a state from outside of the network a key of it, and keeps the old ones", async () => {
    const { sandbox: old } = sandboxWith();
    const { sandbox } = sandboxWith({ testNetwork: true });
    sandbox.restore(old.snapshot());
    expect(sandbox.keys.sandbox).toMatch(/^sb_net_/);
    const path = "/mobile-money/validate-phone";
    for (const key of [old.keys.sandbox, sandbox.keys.sandbox])
      expect((await call(sandbox, path, { phone: "0712345678" }, key)).status).toBe(200);
  });
});

describe("a sandbox outside of a test network", () => {
  test("rejects a receiver with a private name", async () => {
    const { sandbox } = sandboxWith();
    expect((await register(sandbox)).status).toBe(422);
  });

  test("sends nothing to a private name that a restored state has, and says why", async () => {
    const { sandbox: network } = sandboxWith({ testNetwork: true });
    await register(network);
    const { sandbox, sent } = sandboxWith();
    sandbox.restore(network.snapshot());
    await pay(sandbox);
    expect(sent).toEqual([]);
    const [delivery] = sandbox.deliveries.all();
    expect(delivery?.attempts[0]?.error).toContain("not sent: http: to a private name");
  });
});
