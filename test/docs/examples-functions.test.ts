import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sharedPostgres, sharedRedis } from "../support/engines/shared.ts";
import { paidFor, runExample, SECRET, signatureOf } from "./support/example.ts";

const redis = await sharedRedis();
const postgres = await sharedPostgres();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("the example for next stores in its route, and ships once it is registered", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-examples-"));
  vi.stubEnv("SHOP_DB", join(folder, "next.db"));
  vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
  const shipped = vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(console, "error").mockReturnValue();
  const { POST } = await import("../../examples/webhooks/next/app/webhooks/route.ts");
  const { register } = await import("../../examples/webhooks/next/instrumentation.ts");
  const { receiver } = await import("../../examples/webhooks/next/webhooks.ts");
  const body = paidFor("ORDER-42");
  const deliver = async (headers: Record<string, string>) => {
    const url = "https://shop.test/webhooks";
    const response = await POST(new Request(url, { method: "POST", headers, body }));
    return [response.status, (await response.json()).ResultDesc];
  };
  expect(await deliver(signatureOf(body))).toEqual([200, "received"]);
  // The build and the edge runtime call it too: it does nothing there.
  await register();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(shipped).not.toHaveBeenCalled();
  vi.stubEnv("NEXT_RUNTIME", "nodejs");
  await register();
  await expect.poll(() => shipped.mock.calls.flat()).toContain("ship ORDER-42");
  expect(await deliver(signatureOf(body))).toEqual([200, "received before"]);
  expect(await deliver({})).toEqual([401, "signature missing"]);
  await receiver.stop();
  expect(shipped).toHaveBeenCalledTimes(1);
  rmSync(folder, { recursive: true });
});

describe.skipIf(redis === undefined)("the example for lambda", () => {
  test("stores in its function, and ships in its worker", async () => {
    const REDIS_URL = redis?.url ?? "";
    vi.stubEnv("REDIS_URL", REDIS_URL);
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
    vi.spyOn(console, "error").mockReturnValue();
    const { handler } = await import("../../examples/lambda/handler.ts");
    const { receiver } = await import("../../examples/lambda/receiver.ts");
    const body = paidFor("ORDER-42");
    const deliver = async (headers: Record<string, string>) => {
      const requestContext = { http: { method: "POST" } };
      const base64 = Buffer.from(body).toString("base64");
      const reply = await handler({ requestContext, headers, body: base64, isBase64Encoded: true });
      return [reply.statusCode, JSON.parse(reply.body).ResultDesc];
    };
    expect(await deliver(signatureOf(body))).toEqual([200, "received"]);
    expect(await deliver(signatureOf(body))).toEqual([200, "received before"]);
    expect(await deliver({})).toEqual([401, "signature missing"]);
    const worker = await runExample(["examples/lambda/worker.ts"], { REDIS_URL }, false);
    await expect.poll(worker.printed).toMatch(/ship ORDER-42 [\da-f]{64}\n/);
    expect(await worker.end("SIGTERM")).toBe(0);
    expect(worker.printed().match(/ship/g)).toHaveLength(1);
    await receiver.stop();
    await redis?.stop();
  });
});

describe.skipIf(postgres === undefined)("the example for functions", () => {
  test("stores before it responds, ships after the response, and once for duplicates", async () => {
    vi.stubEnv("DATABASE_URL", postgres?.url ?? "");
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
    const shipped = vi.spyOn(console, "log").mockReturnValue();
    vi.spyOn(console, "error").mockReturnValue();
    const { POST, cron, receiver } = await import("../../examples/functions/webhooks.ts");
    const deliver = async (orderId: string, after: (work: Promise<unknown>) => void) => {
      const body = paidFor(orderId);
      const init = { method: "POST", headers: signatureOf(body), body };
      return (await POST(new Request("https://shop.test/webhooks", init), after)).status;
    };
    const work: Promise<unknown>[] = [];
    expect(await deliver("ORDER-42", (one) => work.push(one))).toBe(200);
    expect(await work[0]).toEqual({ processed: 1, left: 0 });
    expect(await deliver("ORDER-42", (one) => work.push(one))).toBe(200);
    expect(await work[1]).toEqual({ processed: 0, left: 0 });
    expect(shipped.mock.calls.flat().filter((text) => text === "ship ORDER-42")).toHaveLength(1);
    expect(await cron()).toEqual({ processed: 0, left: 0 });
    const forged = new Request("https://shop.test/webhooks", { method: "POST", body: "{}" });
    expect((await POST(forged, (one) => work.push(one))).status).toBe(401);
    expect(await work[2]).toEqual({ processed: 0, left: 0 });
    await receiver.stop();
    await postgres?.stop();
  });
});
