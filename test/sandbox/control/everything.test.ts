import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { verifyWebhook } from "malipo/webhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/sandbox/control/commands.ts";

let sandbox: Sandbox;
let served: ServedSandbox;
beforeEach(async () => {
  sandbox = createSandbox({ deliver: async () => new Response() });
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

async function api(
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: every command returns another shape
): Promise<{ status: number; json: any }> {
  const response = await fetch(`${served.url}/_sandbox/api${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}
const post = (path: string, body: object = {}) => api("POST", path, body);
const merchant = () =>
  fetch(`${served.baseUrl}/merchant`, { headers: { "x-api-key": sandbox.keys.secret } });

describe("the control API", () => {
  test("injects a fault, lists it and ends it", async () => {
    const fault = {
      kind: "status",
      status: 418,
      body: { teapot: true },
      endpoint: "merchant.get",
      times: 2,
    };
    expect((await post("/faults", fault)).status).toBe(200);
    const response = await merchant();
    expect([response.status, await response.json()]).toEqual([418, { teapot: true }]);
    expect((await api("GET", "/faults")).json.data.faults).toMatchObject([{ times: 1 }]);
    await post("/faults/clear");
    expect((await merchant()).status).toBe(200);
  });

  test("removes one fault, and leaves the others", async () => {
    const fault = { kind: "status", endpoint: "merchant.get", times: "always" };
    const [one, other] = [await post("/faults", fault), await post("/faults", { kind: "reset" })];
    await post(`/faults/${other.json.data.id}/remove`);
    expect((await api("GET", "/faults")).json.data.faults).toMatchObject([
      { id: one.json.data.id },
    ]);
    const { status, json } = await post(`/faults/${other.json.data.id}/remove`);
    expect([status, json.error]).toEqual([422, expect.stringContaining("There is no fault")]);
  });

  test("revokes a key in the middle of the day, and makes another one", async () => {
    const { json } = await post("/keys/revoke", { key: "secret" });
    expect(json.data.key).toBe(sandbox.keys.secret);
    expect((await merchant()).status).toBe(200);
    const missing = await post("/keys/revoke", { key: "sk_unknown" });
    expect([missing.status, missing.json.error]).toEqual([422, expect.not.stringMatching(/sk_/)]);
  });

  test("injects a fault by method and path", async () => {
    await post("/faults", { kind: "status", path: "/payments/*", method: "GET", times: "always" });
    expect((await merchant()).status).toBe(200);
    const read = await fetch(`${served.baseUrl}/payments/PAY-1`, {
      headers: { "x-api-key": sandbox.keys.secret },
    });
    expect(read.status).toBe(503);
  });

  test("rejects a fault that does not exist, and says which there are", async () => {
    const { status, json } = await post("/faults", { kind: "fire" });
    expect([status, json.error]).toEqual([422, expect.stringMatching(/lostResponse/)]);
  });

  test.each([
    ["/faults", { kind: "latency", ms: "soon" }, 'ms must be a number; got "soon"'],
    ["/faults", { kind: "status", times: "twice" }, 'times must be a number; got "twice"'],
    ["/chaos", { drop: "often" }, 'drop must be a number; got "often"'],
  ])("quotes what is not a number: %s %j", async (path, body, message) => {
    const { status, json } = await post(path, body);
    expect([status, json.error]).toEqual([422, expect.stringContaining(message)]);
  });

  test("starts and ends chaos", async () => {
    const { json } = await post("/chaos", { apiErrors: 1, seed: 7 });
    expect(json.data).toEqual({ seed: "7" });
    expect((await merchant()).status).toBeGreaterThanOrEqual(429);
    expect((await api("GET", "/faults")).json.data.chaos).toEqual({ seed: "7", apiErrors: 1 });
    await post("/chaos/end");
    expect((await merchant()).status).toBe(200);
  });

  test("saves a scene, loads it and removes it", async () => {
    await post("/phones/0712345678/balance", { balance: "10.00" });
    await post("/scenes/poor/save");
    await post("/reset");
    expect(sandbox.phone("0712345678").balance).not.toBe("10.00");
    await post("/scenes/poor/load");
    expect(sandbox.phone("0712345678").balance).toBe("10.00");
    expect((await api("GET", "/scenes")).json.data.scenes).toMatchObject([{ name: "poor" }]);
    await post("/scenes/poor/remove");
    const { status, json } = await post("/scenes/poor/load");
    expect([status, json.error]).toEqual([422, expect.stringMatching(/no scene "poor"/)]);
  });

  test("returns a snapshot, and restores it", async () => {
    await post("/payments", { amount: 5, phone: "0712345678" });
    const { data: snapshot } = (await api("GET", "/snapshot")).json;
    await post("/reset");
    expect((await post("/restore", { snapshot })).status).toBe(200);
    expect(sandbox.snapshot()).toEqual(snapshot);
    expect((await post("/restore", { snapshot: 5 })).status).toBe(422);
    expect((await post("/restore", { snapshot: {} })).status).toBe(422);
  });

  test("lists the latest requests, newest first, without keys", async () => {
    await merchant();
    await fetch(`${served.baseUrl}/nowhere`);
    const { data } = (await api("GET", "/requests?limit=2")).json;
    expect(
      data.requests.map(({ line, status }: { line: string; status: number }) => [line, status]),
    ).toEqual([
      ["GET /nowhere", 404],
      ["GET /merchant", 200],
    ]);
    expect(JSON.stringify(data)).not.toContain(sandbox.keys.secret);
  });

  test("lists the deliveries of one payment", async () => {
    await post("/webhooks", { url: "https://shop.example/" });
    const start = async (phone: string) =>
      (await post("/payments", { amount: 5, phone })).json.data.reference as string;
    const reference = await start("0712345678");
    await start("0733000000");
    await post("/phones/0712345678/approve");
    const { data } = (await api("GET", `/deliveries?payment=${reference}`)).json;
    expect(data.deliveries.map(({ event }: { event: string }) => event)).toEqual([
      "payment.completed",
      "payment.initiated",
    ]);
    expect(data.total).toBe(2);
    expect((await api("GET", "/deliveries?payment=PAY")).json.data.total).toBe(0);
  });

  test("names the payment that a request started", async () => {
    const { reference } = (await post("/payments", { amount: 5, phone: "0712345678" })).json.data;
    const { data } = (await api("GET", "/requests")).json;
    expect(data.requests).toMatchObject([{ payment: reference }]);
  });

  test("registers a receiver and removes it", async () => {
    const { json } = await post("/webhooks", { url: "http://localhost:3000/webhooks" });
    expect(json.data.id).toEqual(expect.any(String));
    expect((await post(`/webhooks/${json.data.id}/remove`)).status).toBe(200);
  });

  test.each([
    ["localhost:3000/webhooks", "http://localhost:3000/webhooks"],
    ["127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["shop.example/webhooks", "https://shop.example/webhooks"],
  ])("completes the address %s of a receiver", async (given, url) => {
    expect((await post("/webhooks", { url: given })).json.data.url).toBe(url);
  });

  describe("sends a test event to one receiver", () => {
    const receiver = async (url: string, events: string[]) => {
      const response = await fetch(`${served.baseUrl}/webhooks/register`, {
        method: "POST",
        headers: { "x-api-key": sandbox.keys.secret },
        body: JSON.stringify({ name: "shop", url, events }),
      });
      return (await response.json()).data.id as string;
    };

    test("signed and logged as any other delivery", async () => {
      const id = await receiver("https://one.example/", ["payment.failed", "payment.completed"]);
      await receiver("https://other.example/", ["payment.completed"]);
      const { status, json } = await post(`/webhooks/${id}/test`);
      expect(status).toBe(200);
      expect(json.data).toMatchObject({
        event: "payment.completed",
        url: "https://one.example/",
        state: "delivered",
        attempts: [{ status: 200 }],
      });
      const { body, signature } = json.data;
      const { data } = verifyWebhook({ body, signature, secret: sandbox.webhookSecret });
      expect(data).toMatchObject({ account_reference: "TEST", status: "completed" });
      expect(sandbox.deliveries.all()).toHaveLength(1);
      // It is an event only: there is no such payment.
      expect((await api("GET", "/status")).json.data.payments).toBe(0);
    });

    test("of the kind that was asked for, or of one that the receiver lists", async () => {
      const id = await receiver("https://one.example/", ["subscription.created", "invoice.paid"]);
      const kindOf = async (body?: object) =>
        (await post(`/webhooks/${id}/test`, body)).json.data.event;
      expect(await kindOf()).toBe("invoice.paid");
      expect(await kindOf({ event: "payment.failed" })).toBe("payment.failed");
      expect(await kindOf({ event: "payment.initiated" })).toBe("payment.initiated");
    });

    test("and says why it cannot", async () => {
      const id = await receiver("https://one.example/", ["subscription.created"]);
      const errorOf = async (path: string, body?: object) =>
        (await post(`/webhooks/${path}/test`, body)).json.error;
      expect(await errorOf(id, { event: "nonsense" })).toMatch(/makes no "nonsense"/);
      expect(await errorOf("wh_none")).toMatch(/no receiver "wh_none"/);
    });
  });

  test("sends every delivery again whose last attempt failed, and no other", async () => {
    const statuses = [500, 200, 500];
    await served.close();
    sandbox = createSandbox({
      deliver: async () => new Response(null, { status: statuses.shift() ?? 200 }),
    });
    served = await sandbox.serve({ port: 0 });
    await post("/webhooks", { url: "https://shop.example/" });
    for (const phone of ["0712345678", "0733000000", "0733000001"]) {
      await post("/payments", { amount: 5, phone });
      await sandbox.deliveries.settled();
    }
    const { json } = await post("/deliveries/resend-failed");
    expect(json.data).toEqual({ sent: 2, delivered: 2 });
    expect(sandbox.deliveries.all().map(({ attempts }) => attempts.length)).toEqual([2, 1, 2]);
    expect((await post("/deliveries/resend-failed")).json.data).toEqual({ sent: 0, delivered: 0 });
  });

  test("resets, and keeps the receivers and a scene to return to if the call asks for it", async () => {
    await post("/webhooks", { url: "https://shop.example/" });
    await post("/payments", { amount: 5, phone: "0712345678" });
    const before = sandbox.snapshot();
    await post("/reset", { keep_receivers: "yes", save_as: "before the reset" });
    expect(sandbox.snapshot()).toMatchObject({ payments: [], webhooks: before.webhooks });
    await post(`/scenes/${encodeURIComponent("before the reset")}/load`);
    expect(sandbox.snapshot()).toEqual(before);
    await post("/reset");
    expect(sandbox.snapshot()).toEqual(createSandbox().snapshot());
    const { status, json } = await post("/reset", { keep_receivers: "perhaps" });
    expect([status, json.error]).toEqual([422, expect.stringMatching(/keep_receivers/)]);
  });

  test("has a document in which every command that it offers is described", async () => {
    const { json } = await api("GET", "/openapi.json");
    expect(json.openapi).toBe("3.1.0");
    for (const { path, summary, fields } of Object.values(COMMANDS)) {
      if (path === undefined) continue;
      const { post: operation } = json.paths[path];
      expect(operation.summary).toBe(summary);
      const described = [
        ...operation.parameters,
        ...Object.values(
          operation.requestBody?.content["application/json"].schema.properties ?? {},
        ),
      ];
      expect(described).toHaveLength(fields.length);
      for (const one of described) expect(one.description).toEqual(expect.any(String));
    }
  });

  test("offers every command of the page but the one that needs a form", () => {
    const without = Object.entries(COMMANDS).filter(([, { path }]) => path === undefined);
    expect(without.map(([name]) => name)).toEqual(["phone/pin"]);
  });
});

test("every example of a body in the document is accepted", async () => {
  await post("/payments", { amount: 5, phone: "0712345678" });
  const { json: document } = await api("GET", "/openapi.json");
  const { json: registered } = await post("/webhooks", { url: "http://localhost:3000/" });
  const ids = { number: "0712345678", id: registered.data.id };
  for (const [path, { post: operation }] of Object.entries<{
    post?: { requestBody?: { content: { "application/json": { example: object } } } };
  }>(document.paths)) {
    const example = operation?.requestBody?.content["application/json"].example;
    // A phone command needs an open prompt, and a snapshot is the reader's own.
    if (example === undefined || JSON.stringify(example) === "{}" || path === "/restore") continue;
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => ids[name as keyof typeof ids]);
    const { status, json } = await post(filled, example);
    expect([path, status, json.error]).toEqual([path, 200, undefined]);
    await post("/faults/clear");
    await post("/chaos/end");
  }
});
