import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  createDialectService,
  DIALECTS,
  dialect,
  LEARNABLE_DIALECTS,
  REAL_DIALECTS,
} from "../support/dialects/index.ts";

const EVENTS = ["payment.initiated", "payment.completed", "payment.failed", "invoice.created"];

function start(name: string) {
  const deliveries: { at: number; status: number; headers: Headers; body: string }[] = [];
  let status = 500;
  const service = createDialectService(dialect(name), {
    deliver: async (request) => {
      const body = await request.text();
      deliveries.push({ at: service.now().getTime(), status, headers: request.headers, body });
      return new Response(null, { status });
    },
  });
  const call = async (method: string, path: string, body?: object, key = service.keys.sandbox) => {
    const response = await service.fetch(service.baseUrl + path, {
      method,
      headers: { "x-api-key": key },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  return { service, deliveries, call, receive: (next: number) => (status = next) };
}

describe("the dialect services of the tests", () => {
  it.each(LEARNABLE_DIALECTS)("$name: a payment runs from prompt to event", async ({ name }) => {
    const { service, deliveries, call, receive } = start(name);
    const webhook = { name: "shop", url: "https://shop.example/hooks", events: EVENTS };
    await call("POST", "/webhooks/register", webhook);
    const made = await call("POST", "/mobile-money/payment/initiate", {
      amount: 5,
      phone: "0712345678",
    });
    const { reference } = JSON.parse(made.text).data;
    const read = await call("GET", `/payments/${reference}`);
    expect(JSON.parse(read.text).data.status).toBe("pending");
    receive(200);
    service.answer("254712345678", "approve");
    await service.advance(8 * 3_600_000);
    const paid = await call("GET", `/payments/${reference}`);
    expect(JSON.parse(paid.text).data.status).toBe("completed");
    const [first] = deliveries;
    const digits = createHmac("sha256", service.webhookSecret)
      .update(first?.body ?? "")
      .digest("hex");
    expect(first?.headers.get("x-service-signature")).toBe(
      service.dialect.delivery.prefix + digits,
    );
  });

  it.each(LEARNABLE_DIALECTS)("$name: retries on its own schedule", async ({ name }) => {
    const { service, deliveries, call } = start(name);
    const webhook = { name: "shop", url: "https://shop.example/hooks", events: EVENTS };
    await call("POST", "/webhooks/register", webhook);
    await call("POST", "/invoices", { amount: 5 });
    await service.advance(8 * 3_600_000);
    const times = deliveries.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps).toEqual(service.dialect.delivery.retriesMs);
  });

  it("the last one responds with HTML to everything", async () => {
    const { call } = start("html");
    const { status, text } = await call("GET", "/merchant");
    expect([status, text.slice(0, 15)]).toEqual([200, "<!doctype html>"]);
  });

  it("busy rejects a request after too many in a second", async () => {
    const { call } = start("busy");
    const statuses: number[] = [];
    for (let n = 0; n < 30; n++) statuses.push((await call("GET", "/merchant")).status);
    expect(statuses).toContain(429);
  });

  it.each(REAL_DIALECTS)("$name: names the pages that show it", ({ source = [] }) => {
    expect(source.length).toBeGreaterThan(0);
    for (const one of source) expect(one).toMatch(/https?:\/\/\S+\.\S+/);
  });

  it("no two speak alike", async () => {
    const spoken = new Set<string>();
    for (const { name } of DIALECTS) {
      const { call } = start(name);
      const list = await call("GET", "/invoices");
      const made = await call("POST", "/invoices", { amount: 5 });
      const unknown = await call("GET", "/invoices/none");
      const names = (text: string) => text.replace(/\d+|(?<=: ?)"[^"]*"/g, "");
      spoken.add(
        JSON.stringify([list, made, unknown].map(({ status, text }) => [status, names(text)])),
      );
    }
    expect(spoken.size).toBe(DIALECTS.length);
  });

  it("is served over HTTP too", async () => {
    const { service } = start("cursor");
    const served = await service.serve();
    const response = await fetch(`${served.baseUrl}/invoices`, {
      headers: { authorization: `Bearer ${service.keys.secret}` },
    });
    expect(await response.json()).toEqual({ items: [], has_more: false, next_cursor: null });
    await served.close();
  });
});
