import { ConfigurationError } from "malipo";
import { createSandbox, type SandboxSnapshot } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

/** A sandbox with one of everything in it. */
async function lived() {
  const sandbox = createSandbox({ deliver: async () => new Response(null, { status: 500 }) });
  const call = (path: string, body: object) =>
    sandbox.fetch(sandbox.baseUrl + path, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret },
      body: JSON.stringify(body),
    });
  const events = ["payment.initiated"];
  await call("/webhooks/register", { name: "x", url: "https://x.example/", events });
  await call("/invoices", {});
  await call("/payments/initiate", { amount: 1, phone: "0712345678" });
  await sandbox.deliveries.settled();
  sandbox.faults.add({ effect: { kind: "reset" }, times: Number.POSITIVE_INFINITY });
  return sandbox;
}

describe("restore()", () => {
  test("accepts a snapshot after JSON.stringify and JSON.parse", async () => {
    const sandbox = await lived();
    const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot()));
    const other = createSandbox();
    other.restore(snapshot);
    expect(JSON.parse(JSON.stringify(other.snapshot()))).toEqual(snapshot);
  });

  const parts = [
    "timers",
    "nextTurn",
    "random",
    "nextId",
    "nextInvoice",
    "keys",
    "builtIn",
    "webhookSecret",
    "phones",
    "payments",
    "invoices",
    "webhooks",
    "deliveries",
    "faultCount",
    "faults",
    "now",
    "startedAt",
  ];

  test("checks every part of a snapshot", async () => {
    const sandbox = await lived();
    expect(Object.keys(sandbox.snapshot()).sort()).toEqual([...parts, "version"].sort());
  });

  test.each(parts)("rejects a snapshot whose %s is damaged, and changes nothing", async (part) => {
    const sandbox = await lived();
    const before = sandbox.snapshot();
    for (const damage of [undefined, null, "x\u0000", -1.5, [null], { a: null }, [{ id: 1 }]]) {
      if (fits(part, damage)) continue;
      const damaged = { ...before, [part]: damage } as SandboxSnapshot;
      expect(() => sandbox.restore(damaged)).toThrow(ConfigurationError);
      expect(() => sandbox.restore(damaged)).toThrow(`\`${part}\``);
    }
    expect(sandbox.snapshot()).toEqual(before);
  });

  const status = (effect: object) => ({
    faults: [{ match: {}, effect: { kind: "status", ...effect }, after: 0, times: null }],
  });
  const delivery = (one: object, change: object) => ({ deliveries: [{ ...one, ...change }] });

  test.each<[string, (delivery: object) => object]>([
    ["a status that HTTP does not have", () => status({ status: 1e9 })],
    ["a header with a line break", () => status({ status: 200, headers: { "a\nb": "1" } })],
    ["a header value with a line break", () => status({ status: 200, headers: { a: "1\r\n2" } })],
    [
      "a fault for an endpoint that does not exist",
      () => ({
        faults: [{ match: { endpoint: "x" }, effect: { kind: "hang" }, after: 0, times: 1 }],
      }),
    ],
    [
      "a receiver on another machine without https",
      () => ({ webhooks: [{ id: "w", name: "x", url: "http://192.0.2.1/", events: [] }] }),
    ],
    ["a delivery to a file", (one) => delivery(one, { url: "file:///etc/passwd" })],
    ["a delivery whose body is not JSON", (one) => delivery(one, { body: "{" })],
    ["an attempt without a time", (one) => delivery(one, { attempts: [{ latencyMs: 1 }] })],
    ["a time beyond all dates", () => ({ now: 1e18 })],
    [
      "a timer beyond all dates",
      () => ({ timers: [{ at: 1e18, turn: 1, task: { kind: "expire", reference: "PAY-1" } }] }),
    ],
  ])("rejects a snapshot with %s", async (_, damage) => {
    const sandbox = await lived();
    const before = sandbox.snapshot();
    const [one = {}] = before.deliveries as object[];
    const damaged = { ...before, timers: [], ...damage(one) } as SandboxSnapshot;
    expect(() => sandbox.restore(damaged)).toThrow(ConfigurationError);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("rejects timers of deliveries that do not exist", async () => {
    const sandbox = await lived();
    const damaged = { ...sandbox.snapshot(), deliveries: [] };
    expect(() => sandbox.restore(damaged)).toThrow("`timers`");
  });

  test.each([undefined, null, 1, "x", [], {}, { version: 2 }])("rejects %j", (snapshot) => {
    const restore = () => createSandbox().restore(snapshot as never);
    expect(restore).toThrow("not a snapshot of a sandbox");
  });
});

/** What is odd, but of the right kind. */
function fits(part: string, damage: unknown): boolean {
  if (typeof damage === "number")
    return ["nextTurn", "nextId", "nextInvoice", "now", "startedAt", "faultCount"].includes(part);
  // A sandbox without faults has none.
  if (damage === undefined) return part === "faultCount";
  return typeof damage === "string" && part === "webhookSecret";
}
