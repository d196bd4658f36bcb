import { setImmediate } from "node:timers/promises";
import { createSandbox, type Sandbox, type SandboxSnapshot } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const PHONE = "0712345678";

async function post(sandbox: Sandbox, path: string, body: object): Promise<Response> {
  return sandbox.fetch(sandbox.baseUrl + path, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify(body),
  });
}

/** A sandbox with one webhook, whose receiver responds when `respond` is called. */
async function withHeldReceiver() {
  const held: ((response: Response) => void)[] = [];
  const sandbox = createSandbox({
    deliver: () => new Promise((resolve) => held.push(resolve)),
  });
  const url = "https://shop.example.test/hook";
  await post(sandbox, "/webhooks/register", { name: "shop", url, events: ["payment.initiated"] });
  const respond = (status = 200) => {
    for (const one of held.splice(0)) one(new Response(null, { status }));
  };
  return { sandbox, held, respond };
}

describe("a snapshot", () => {
  test("is JSON, with prompts, faults without an end and timers in it", async () => {
    const sandbox = createSandbox();
    sandbox.faults.add({ effect: { kind: "status", status: 503 }, after: 1, times: Infinity });
    sandbox.phone(PHONE).always("cancel");
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    const snapshot = sandbox.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);

    const other = createSandbox({ seed: "other" });
    other.restore(JSON.parse(JSON.stringify(snapshot)));
    expect(other.keys).toEqual(sandbox.keys);
    await other.clock.advance("3s");
    expect(other.phone(PHONE).prompt).toBeUndefined();
    for (let count = 0; count < 3; count++) {
      expect((await post(other, "/invoices", {})).status).toBe(503);
    }
  });

  test("holds the clock: a prompt's sixty seconds go on", async () => {
    const sandbox = createSandbox();
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    await sandbox.clock.advance("59s");
    const other = createSandbox();
    other.restore(sandbox.snapshot());
    expect(other.clock.now()).toEqual(sandbox.clock.now());
    expect(other.phone(PHONE).prompt).toBeDefined();
    await other.clock.advance("1s");
    expect(other.phone(PHONE).prompt).toBeUndefined();
    expect(sandbox.phone(PHONE).prompt).toBeDefined();
  });

  test("is a copy: neither later calls nor restoring it change it", async () => {
    const sandbox = createSandbox();
    const snapshot = sandbox.snapshot();
    const copy = structuredClone(snapshot);
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    expect(snapshot).toEqual(copy);
    sandbox.restore(snapshot);
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    expect(snapshot).toEqual(copy);
  });

  test("holds a delivery in flight as one that is still to be sent, once", async () => {
    const { sandbox, held, respond } = await withHeldReceiver();
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    // Restored twice while the first attempt still hangs: no attempt of a past sandbox counts.
    for (let times = 0; times < 2; times++) {
      sandbox.restore(sandbox.snapshot());
      const advanced = sandbox.clock.advance(0);
      await expect.poll(() => held.length).toBe(times + 2);
      if (times === 1) respond();
      if (times === 1) await advanced;
    }
    const made = sandbox.snapshot().deliveries;
    expect(made).toEqual([expect.objectContaining({ state: "delivered", tries: 1 })]);
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(1);
    await sandbox.clock.advance("1d");
    expect(held).toHaveLength(0);
  });

  test("holds deliveries in flight in the order in which they began", async () => {
    const { sandbox } = await withHeldReceiver();
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    await post(sandbox, "/payments/initiate", { phone: "0110345678", amount: 1 });
    const made: string[] = [];
    const other = createSandbox({
      deliver: async (request) => {
        made.push(await request.text());
        return new Response();
      },
    });
    other.restore(sandbox.snapshot());
    await other.clock.advance(0);
    expect(made).toEqual(sandbox.deliveries.all().map(({ body }) => body));
    sandbox.reset();
  });

  test.each([
    ["nothing", undefined],
    ["another object", {}],
    ["one of a later version", { ...createSandbox().snapshot(), version: 2 }],
  ])("is rejected if it is %s", (_, wrong) => {
    const sandbox = createSandbox();
    const before = sandbox.snapshot();
    expect(() => sandbox.restore(wrong as SandboxSnapshot)).toThrow(/not a snapshot/);
    expect(sandbox.snapshot()).toEqual(before);
  });
});

describe("a reset", () => {
  test.each([200, 500])(
    "drops pending timers and retries, and the response %i of a delivery in flight",
    async (status) => {
      const { sandbox, held, respond } = await withHeldReceiver();
      await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
      expect(held).toHaveLength(1);
      sandbox.reset();
      respond(status);
      await setImmediate();
      expect(sandbox.snapshot()).toEqual(createSandbox().snapshot());
      await sandbox.clock.advance("1d");
      expect(sandbox.deliveries.all()).toEqual([]);
      expect(held).toHaveLength(0);
    },
  );

  test("removes created keys, faults, phones and balances", async () => {
    const sandbox = createSandbox();
    const key = sandbox.createKey({ kind: "secret" });
    sandbox.faults.add({ effect: { kind: "reset" }, times: Infinity });
    sandbox.phone(PHONE).setBalance("1");
    sandbox.phone(PHONE).switchOff();
    sandbox.reset();
    const response = await sandbox.fetch(`${sandbox.baseUrl}/merchant`, {
      headers: { "x-api-key": key },
    });
    expect(response.status).toBe(401);
    expect(sandbox.phone(PHONE).balance).toBe("100000.00");
    // The random sequence too is back at its beginning.
    expect(sandbox.createKey({ kind: "secret" })).toBe(key);
  });

  test("is not changed by an advance that was under way", async () => {
    const { sandbox, respond } = await withHeldReceiver();
    const start = sandbox.clock.now();
    await post(sandbox, "/payments/initiate", { phone: PHONE, amount: 1 });
    const advances = [sandbox.clock.advance("1h"), sandbox.clock.advance("1h")];
    sandbox.reset();
    respond();
    await Promise.all(advances);
    expect(sandbox.clock.now()).toEqual(start);
  });
});
