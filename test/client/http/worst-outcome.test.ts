import type { GatewayErrorCode, Outcome } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failureOf, gatewayMeeting, gatewayOn } from "../support/gateway.ts";
import {
  hang,
  html,
  json,
  refused,
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

const saysNo = json({ success: false, error: "no" });
const lacking = json({ success: true, data: {} });

// biome-ignore format: a table is read across
const IDEMPOTENT: readonly [string, readonly Step[], GatewayErrorCode, Outcome][] = [
  ["reset, then refused", [reset, refused, refused], "connection", "unknown"],
  ["reset, then turned down", [reset, status(409)], "conflict", "unknown"],
  ["a 500, then a 404", [status(500), status(404)], "not_found", "unknown"],
  ["no answer, then a 401", [hang, status(401)], "authentication", "unknown"],
  ["a broken-off body, then a 400", [truncated, status(400)], "invalid_request", "unknown"],
  ["a reset, then success: false", [reset, saysNo], "api", "unknown"],
  ["a 408, then a 403", [status(408), status(403)], "permission", "unknown"],
  ["refused, then reset, then refused", [refused, reset, refused], "connection", "unknown"],
  ["refused, then turned down", [refused, status(422)], "invalid_request", "rejected"],
  ["a 429, then turned down", [status(429), status(404)], "not_found", "rejected"],
  ["a 429, then refused", [status(429), refused, refused], "connection", "rejected"],
  ["refused, then success: false", [refused, saysNo], "api", "rejected"],
  ["refused, then HTML", [refused, html()], "unexpected_response", "unknown"],
  ["refused throughout", [refused], "connection", "not_sent"],
];

test.each(IDEMPOTENT)(
  "an update that met %s has the worst outcome of all",
  async (_, steps, code, outcome) => {
    const { gateway } = gatewayMeeting(steps);
    const error = await failureOf(gateway.webhooks.update(7, { name: "till" }));
    expect(error).toMatchObject({ code, outcome });
  },
);

// biome-ignore format: a table is read across
const CREATES: readonly [string, readonly Step[], number, GatewayErrorCode, Outcome][] = [
  ["refused, then reset", [refused, reset], 2, "connection", "unknown"],
  ["a 429, then no answer", [status(429), hang], 2, "timeout", "unknown"],
  ["refused, then a 429, then a 500", [refused, status(429), status(500)], 3, "server", "unknown"],
  ["refused, then an answer that lacks its reference", [refused, lacking], 2, "unexpected_response", "unknown"],
  ["refused, then a 422", [refused, status(422)], 2, "invalid_request", "rejected"],
  ["a 429, then refused", [status(429), refused], 3, "connection", "rejected"],
];

test.each(CREATES)(
  "a prompt that met %s is sent no further",
  async (_, steps, times, code, outcome) => {
    const { gateway, sent } = gatewayMeeting(steps);
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
] as const)("one call makes one prompt at most where %s", async (_, effect, payments) => {
  const sandbox = createSandbox();
  sandbox.faults.add({ effect, times: 1 });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = gatewayOn(fetch, { baseUrl, apiKey: keys.secret });
  const error = await failureOf(gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" }));
  expect(error).toMatchObject({ outcome: "unknown" });
  expect((await gateway.payments.list()).items).toHaveLength(payments);
});

test("one call makes one prompt where it is turned away with 429 first", async () => {
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
    const { gateway } = gatewayMeeting(steps);
    const order = { amount: 100, phone: "0712345678" };
    return (await failureOf(gateway.mobileMoney.initiate(order))).message;
  };
  expect(await message([refused])).toContain("You can send it again");
  expect(await message([refused, reset])).toContain("Look before you send it again");
});
