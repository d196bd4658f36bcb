import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
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
  // biome-ignore lint/suspicious/noExplicitAny: every command gives another shape
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

  test("gives a snapshot, and restores it", async () => {
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

  test("registers a receiver and removes it", async () => {
    const { json } = await post("/webhooks", { url: "http://localhost:3000/webhooks" });
    expect(json.data.id).toEqual(expect.any(String));
    expect((await post(`/webhooks/${json.data.id}/remove`)).status).toBe(200);
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
