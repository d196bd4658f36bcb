import type { GatewayErrorCode, Outcome } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failureOf, gatewayOn, gatewayWith } from "../support/gateway.ts";
import {
  connectionRefused,
  hang,
  html,
  json,
  reset,
  type Step,
  status,
  truncated,
} from "../support/responses.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const errorEnvelope = json({ success: false, error: "no" });
const lacking = json({ success: true, data: {} });

// biome-ignore format: a table is read across
const IDEMPOTENT: readonly [string, readonly Step[], GatewayErrorCode, Outcome][] = [
  ["reset, then no connection", [reset, connectionRefused, connectionRefused], "connection", "unknown"],
  ["reset, then a 409", [reset, status(409)], "conflict", "unknown"],
  ["a 500, then a 404", [status(500), status(404)], "not_found", "unknown"],
  ["no response, then a 401", [hang, status(401)], "authentication", "unknown"],
  ["a broken-off body, then a 400", [truncated, status(400)], "invalid_request", "unknown"],
  ["a reset, then success: false", [reset, errorEnvelope], "api", "unknown"],
  ["a 408, then a 403", [status(408), status(403)], "permission", "unknown"],
  ["no connection, then reset, then no connection", [connectionRefused, reset, connectionRefused], "connection", "unknown"],
  ["no connection, then a 422", [connectionRefused, status(422)], "invalid_request", "rejected"],
  ["a 429, then a 404", [status(429), status(404)], "not_found", "rejected"],
  ["a 429, then no connection", [status(429), connectionRefused, connectionRefused], "connection", "rejected"],
  ["no connection, then success: false", [connectionRefused, errorEnvelope], "api", "rejected"],
  ["no connection, then HTML", [connectionRefused, html()], "unexpected_response", "unknown"],
  ["no connection throughout", [connectionRefused], "connection", "not_sent"],
];

test.each(IDEMPOTENT)(
  "an update that met %s has the worst outcome of all",
  async (_, steps, code, outcome) => {
    const { gateway } = gatewayWith(steps);
    const error = await failureOf(gateway.webhooks.update(7, { name: "till" }));
    expect(error).toMatchObject({ code, outcome });
  },
);

// biome-ignore format: a table is read across
const CREATES: readonly [string, readonly Step[], number, GatewayErrorCode, Outcome][] = [
  ["no connection, then reset", [connectionRefused, reset], 2, "connection", "unknown"],
  ["a 429, then no response", [status(429), hang], 2, "timeout", "unknown"],
  ["no connection, then a 429, then a 500", [connectionRefused, status(429), status(500)], 3, "server", "unknown"],
  ["no connection, then a response without a reference", [connectionRefused, lacking], 2, "unexpected_response", "unknown"],
  ["no connection, then a 422", [connectionRefused, status(422)], 2, "invalid_request", "rejected"],
  ["a 429, then no connection", [status(429), connectionRefused], 3, "connection", "rejected"],
];

test.each(CREATES)(
  "a prompt that met %s is sent no further",
  async (_, steps, times, code, outcome) => {
    const { gateway, sent } = gatewayWith(steps);
    const error = await failureOf(
      gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" }),
    );
    expect(sent).toHaveLength(times);
    expect(error).toMatchObject({ code, outcome });
  },
);

test.each([
  ["the connection is reset before the answer", { kind: "lostResponse" }, 1],
  ["the answer breaks off", { kind: "truncate" }, 1],
  ["the connection is reset before the service acts", { kind: "reset" }, 0],
  ["the service answers 503", { kind: "status", status: 503 }, 0],
] as const)("one call makes at most one prompt if %s", async (_, effect, payments) => {
  const sandbox = createSandbox();
  sandbox.faults.add({ effect, times: 1 });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = gatewayOn(fetch, { baseUrl, apiKey: keys.secret });
  const error = await failureOf(gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" }));
  expect(error).toMatchObject({ outcome: "unknown" });
  expect((await gateway.payments.list()).items).toHaveLength(payments);
});

test("one call makes one prompt if it is rejected with 429 first", async () => {
  const sandbox = createSandbox();
  sandbox.faults.add({ effect: { kind: "status", status: 429 }, times: 2 });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = gatewayOn(fetch, { baseUrl, apiKey: keys.secret });
  const prompted = gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
  await vi.advanceTimersByTimeAsync(60_000);
  const { reference } = await prompted;
  expect((await gateway.payments.list()).items).toMatchObject([{ reference }]);
});

test("a definite no says that it may be sent again, and an unknown outcome says to look first", async () => {
  const message = async (steps: readonly Step[]) => {
    const { gateway } = gatewayWith(steps);
    const order = { amount: 100, phone: "0712345678" };
    return (await failureOf(gateway.mobileMoney.initiate(order))).message;
  };
  expect(await message([connectionRefused])).toContain("You can send it again");
  expect(await message([connectionRefused, reset])).toContain("Look before you send it again");
});
