import { createSandbox } from "malipo/sandbox";
import { describe, expect, test, vi } from "vitest";
import { IDS, minimalBody, ROWS } from "../../support/endpoints.ts";
import { BASE_URL, gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { json, status } from "../support/responses.ts";
import { everyRow } from "../support/rows-suite.ts";

everyRow("over sandbox.fetch", () => {
  const sandbox = createSandbox({ deliver: async () => new Response() });
  return { sandbox, fetch: sandbox.fetch, baseUrl: sandbox.baseUrl };
});

describe.each(ROWS)("row $number, $name", (row) => {
  test.each(["x-api-key", "bearer"] as const)(
    "is sent as documented, with its key as %s",
    async (auth) => {
      const { gateway, sent } = gatewayWith([json(minimalBody(row))], { auth });
      await row.call(gateway, IDS);

      expect(sent).toHaveLength(1);
      const [{ method, url, body, headers, init } = expect.unreachable()] = sent;
      expect([method, url]).toEqual([row.method, BASE_URL + row.path(IDS)]);
      expect(body === undefined ? undefined : JSON.parse(body)).toEqual(row.body?.(IDS));
      expect(Object.fromEntries(headers)).toEqual({
        accept: "application/json",
        ...(row.body && { "content-type": "application/json" }),
        "user-agent": expect.stringMatching(/^malipo\//),
        ...(auth === "bearer"
          ? { authorization: `Bearer ${KEYS.secret}` }
          : { "x-api-key": KEYS.secret }),
      });
      expect(init.redirect).toBe("manual");
    },
  );
});

test("nothing is printed, and no other address is called", async () => {
  const spies = [
    ...(["log", "info", "warn", "error", "debug"] as const).map((name) => vi.spyOn(console, name)),
    vi.spyOn(process.stderr, "write"),
    vi.spyOn(process.stdout, "write"),
    vi.spyOn(globalThis, "fetch"),
  ];
  for (const row of ROWS) {
    const { gateway } = gatewayWith([json(minimalBody(row))]);
    await row.call(gateway, IDS);
    const failing = gatewayWith([status(404)]);
    await rejection(row.call(failing.gateway, IDS));
  }
  const calls = spies.flatMap(({ mock }) => mock.calls);
  vi.restoreAllMocks();
  expect(calls).toEqual([]);
});

test("the parameters of invoices.send are sent as the body", async () => {
  const { gateway, sent } = gatewayWith([json({ success: true, data: {} })]);
  await gateway.invoices.send("inv_9", { to: "shop@example.com" });
  expect(sent[0]?.body).toBe('{"to":"shop@example.com"}');
});
