import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { expect, test } from "vitest";

const gatewayOf = (sandbox: ReturnType<typeof createSandbox>, apiKey: string) =>
  new Gateway({ apiKey, baseUrl: sandbox.baseUrl, fetch: sandbox.fetch });

test("a revoked key gets 401 at once, and its successor has its kind and scopes", async () => {
  const sandbox = createSandbox();
  const old = sandbox.createKey({ kind: "secret", scopes: ["merchant.read"] });
  const next = sandbox.revokeKey(old);
  await expect(gatewayOf(sandbox, old).merchant.get()).rejects.toMatchObject({ status: 401 });
  expect((await gatewayOf(sandbox, next).merchant.get()).merchant_id).toBe(1);
  await expect(gatewayOf(sandbox, next).payments.get("PAY-1")).rejects.toMatchObject({
    status: 403,
  });
});

test("a built-in key that is revoked is replaced in `keys`, in a snapshot too", async () => {
  const sandbox = createSandbox();
  const { secret, public: publicKey } = sandbox.keys;
  const next = sandbox.revokeKey(secret);
  expect(sandbox.keys).toMatchObject({ secret: next, public: publicKey });
  const other = createSandbox();
  other.restore(sandbox.snapshot());
  expect(other.keys.secret).toBe(next);
});

test("revoking a key that does not exist throws, and does not show it", () => {
  const revoke = () => createSandbox().revokeKey("sk_live_0123456789");
  expect(revoke).toThrow("not a key of this sandbox");
  expect(revoke).not.toThrow("sk_live");
});

test("a payment can go to the second account, and to no third one", async () => {
  const sandbox = createSandbox();
  const gateway = gatewayOf(sandbox, sandbox.keys.secret);
  const accounts = await gateway.merchant.paymentAccounts();
  expect(accounts.items.map(({ is_default }) => is_default)).toEqual([true, false]);
  const params = { amount: 10, phone: "0712345678" };
  const [, second] = accounts.items;
  await gateway.mobileMoney.initiate({
    ...params,
    payment_account_id: second?.payment_account_id,
  });
  expect(sandbox.snapshot().payments).toMatchObject([{ payment_account_id: 2 }]);
  const third = gateway.mobileMoney.initiate({ ...params, payment_account_id: 3 });
  await expect(third).rejects.toMatchObject({ status: 422 });
});

test.each(["subscription.created", "subscription.canceled"])(
  "a test event %s can be sent",
  async (event) => {
    const bodies: string[] = [];
    const sandbox = createSandbox({
      deliver: async (request) => {
        bodies.push(await request.text());
        return new Response('{"ResultCode":1,"ResultDesc":"not now"}');
      },
    });
    const served = await sandbox.serve({ port: 0 });
    const { id } = await gatewayOf(sandbox, sandbox.keys.secret).webhooks.register({
      name: "shop",
      url: "http://localhost:1/webhooks",
      events: [event],
    });
    const response = await fetch(`${served.url}/_sandbox/api/webhooks/${id}/test`, {
      method: "POST",
    });
    // A ResultCode other than 0 in a 200 is not a failure.
    expect(await response.json()).toMatchObject({ data: { event, state: "delivered" } });
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ event, data: { subscription_id: 1 } });
    await served.close();
  },
);
