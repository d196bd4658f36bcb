import { expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { gatewayWith, KEYS } from "./support/gateway.ts";
import { json } from "./support/responses.ts";

const started = json({ success: true, data: { reference: "PAY-1" } });
const order = { amount: 100, phone: "0712345678" };

/** How often a first call with an idempotency key warns. */
async function warningsOf(options: Parameters<typeof gatewayWith>[1]): Promise<string[]> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const { gateway } = gatewayWith([started], options);
  await gateway.mobileMoney.initiate(order, { idempotencyKey: "ORDER-1/1" });
  const warnings = warn.mock.calls.map(([warning]) => String(warning));
  warn.mockRestore();
  return warnings;
}

test("a live secret key without a store of idempotency keys warns once, and nothing else does", async () => {
  expect(await warningsOf({ idempotency: memoryIdempotency() })).toEqual([]);
  expect(await warningsOf({ apiKey: KEYS.sandbox })).toEqual([]);
  expect(await warningsOf({ baseUrl: "http://localhost:4010" })).toEqual([]);
  expect(await warningsOf({})).toEqual([expect.stringContaining("sqlite(path)")]);
  expect(await warningsOf({})).toEqual([]);
});
