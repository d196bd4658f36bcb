import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

// A test that replaces every timer, and the date, must not stop the sandbox's own: what hangs here
// ends with the test's time limit.
beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

async function post(sandbox: Sandbox, path: string, body: object) {
  const headers = { "x-api-key": sandbox.keys.secret };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await sandbox.fetch(sandbox.baseUrl + path, init);
  return (await response.json()).data;
}

const register = (sandbox: Sandbox, url: string, ...events: string[]) =>
  post(sandbox, "/webhooks/register", { name: "shop", url, events });

describe("under fake timers", () => {
  test("a latency fault ends", async () => {
    const sandbox = createSandbox();
    sandbox.faults.add({ effect: { kind: "latency", ms: 20 } });
    expect(await post(sandbox, "/invoices", {})).toMatchObject({ status: "draft" });
  });

  test("a delivery over the real network ends", async () => {
    const receiver = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    const sandbox = createSandbox();
    const { port } = receiver.address() as AddressInfo;
    await register(sandbox, `http://127.0.0.1:${port}/hook`, "invoice.created");
    await post(sandbox, "/invoices", {});
    await sandbox.deliveries.settled();
    expect(sandbox.deliveries.all()[0]?.state).toBe("delivered");
    receiver.closeAllConnections();
    receiver.close();
  });

  test("a delivery without a response ends, and is retried", async () => {
    const sandbox = createSandbox({ deliveryTimeoutMs: 10, deliver: () => new Promise(() => {}) });
    await register(sandbox, "https://shop.example.test/", "invoice.created");
    await post(sandbox, "/invoices", {});
    await sandbox.clock.advance("71s");
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(3);
  });

  test("the real clock runs on, and runs tasks", async () => {
    await new Promise<void>((resolve) => {
      const sandbox = createSandbox({
        clock: "real",
        deliver: async () => {
          resolve();
          return new Response();
        },
      });
      const due_at = new Date(sandbox.clock.now().getTime() + 50).toISOString();
      void register(sandbox, "https://shop.example.test/", "invoice.overdue")
        .then(() => post(sandbox, "/invoices", { due_at }))
        .then(({ id }) => post(sandbox, `/invoices/${id}/send`, {}));
    });
    expect(Date.now()).toBe(0);
  });

  test("a served sandbox responds, with a latency fault too", async () => {
    const sandbox = createSandbox();
    const served = await sandbox.serve({ port: 0 });
    sandbox.faults.add({ effect: { kind: "latency", ms: 20 } });
    const headers = { "x-api-key": sandbox.keys.public };
    expect((await fetch(`${served.baseUrl}/merchant`, { headers })).status).toBe(200);
    await served.close();
  });
});
