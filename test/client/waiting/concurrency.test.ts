import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { hang, json, type Step, status } from "../support/responses.ts";

/** Returns the request that it got, out of order, and every third one only at the second attempt. */
function mirror(): Step {
  const failed = new Set<string | null>();
  return async ({ url, headers }) => {
    const id = Number(url.slice(url.lastIndexOf("/") + 1));
    const who = headers.get("x-trace");
    await new Promise((resolve) => setTimeout(resolve, id % 7));
    if (id % 3 === 0 && !failed.has(who)) {
      failed.add(who);
      return Response.json({}, { status: 503, headers: { "retry-after": "0" } });
    }
    if (id % 5 === 0) return Response.json({ error: who }, { status: 404 });
    return Response.json({ success: true, data: { id, who } });
  };
}

const finish = (gateway: Gateway, id: number, trace: string) =>
  gateway.invoices.get(id, { headers: { "x-trace": trace } }).catch(({ body }) => body);

test("the results of 200 simultaneous calls, by two gateways with two keys, are never mixed up", async () => {
  const keys = ["sk_first_1", "pk_other_2"] as const;
  const step = mirror();
  const gateways = keys.map((apiKey) => gatewayWith([step], { apiKey }));
  const ids = Array.from({ length: 100 }, (_, at) => at + 1);
  const results = await Promise.all(
    ids.flatMap((id) => gateways.map(({ gateway }, at) => finish(gateway, id, `${at}.${id}`))),
  );
  expect(results).toEqual(
    ids.flatMap((id) =>
      keys.map((_, at) => (id % 5 === 0 ? { error: `${at}.${id}` } : { id, who: `${at}.${id}` })),
    ),
  );
  // Each gateway sent its own key, also in retries.
  for (const [at, { sent }] of gateways.entries()) {
    expect(sent.length).toBeGreaterThan(100);
    for (const { url, headers } of sent) {
      const id = url.slice(url.lastIndexOf("/") + 1);
      expect(headers.get("x-api-key")).toBe(keys[at]);
      expect(headers.get("x-trace")).toBe(`${at}.${id}`);
    }
  }
});

test("the results of 200 simultaneous calls over real connections are never mixed up", async () => {
  const server = createServer((request, response) => {
    const id = request.url?.split("/").at(-1);
    const answer = JSON.stringify({ data: { id, who: request.headers["x-api-key"] } });
    setTimeout(() => response.end(answer), Number(id) % 5);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = ["sk_first_1", "pk_other_2"];
  const gateways = keys.map((apiKey) => new Gateway({ apiKey, baseUrl }));
  const ids = Array.from({ length: 100 }, (_, at) => at);
  const results = await Promise.all(
    ids.flatMap((id) => gateways.map(({ invoices }) => invoices.get(id))),
  );
  expect(results).toEqual(ids.flatMap((id) => keys.map((who) => ({ id: String(id), who }))));
  server.closeAllConnections();
  server.close();
});

test("payments that start at the same time stay apart", async () => {
  const { fetch, baseUrl, keys } = createSandbox();
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
  const phones = Array.from({ length: 50 }, (_, at) => `2547000000${String(at).padStart(2, "0")}`);
  const started = await Promise.all(
    phones.map((phone, at) => gateway.mobileMoney.initiate({ amount: at + 1, phone })),
  );
  expect(new Set(started.map(({ reference }) => reference)).size).toBe(50);
  const payments = await Promise.all(
    started.map(({ reference }) => gateway.payments.get(reference)),
  );
  expect(payments.map(({ phone, amount }) => [phone, amount])).toEqual(
    phones.map((phone, at) => [phone, `${at + 1}.00`]),
  );
});

describe("one AbortSignal for 100 calls", () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  afterEach(() => {
    process.off("warning", hear);
    warnings.length = 0;
  });

  test("ends all of them, prints no warning and leaves no listener", async () => {
    process.on("warning", hear);
    const controller = new AbortController();
    const { signal } = controller;
    const { gateway, sent } = gatewayWith([hang]);
    const calls = Array.from({ length: 100 }, () => gateway.merchant.get({ signal }));
    const ended = Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(sent).toHaveLength(100);
    const reason = new Error("closing");
    controller.abort(reason);
    expect(await ended).toEqual(calls.map(() => ({ status: "rejected", reason })));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(warnings).toEqual([]);
  });

  test("leaves no listener on the signal after the calls", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, given);
    };
    const again = status(503, { "retry-after": "0" });
    const { gateway } = gatewayWith([again, json({ data: {} })]);
    await Promise.all(Array.from({ length: 100 }, () => gateway.merchant.get({ signal })));
    expect(listeners).toBe(0);
  });
});
