import { OutcomeUnknownError } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf, gatewayWith } from "../client/support/gateway.ts";
import {
  connectionRefused,
  html,
  json,
  neverResponds,
  noSuchHost,
  reset,
  type Step,
  status,
  text,
  truncated,
} from "../client/support/responses.ts";
import { IDS, ROWS, type Row } from "../support/endpoints.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CREATES = ROWS.filter(({ effect }) => effect === "create").map(
  (row) => [row.name, row] as const,
);
const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";

let made = 0;
/** Returns another payment each time. */
const paid: Step = () =>
  Response.json({ success: true, data: { reference: `PAY-${++made}`, status: "pending" } });

test("five calls create something", () => {
  expect(CREATES.map(([, { number }]) => number)).toEqual([5, 6, 9, 13, 18]);
});

describe.each(CREATES)("%s under one key", (name, row: Row) => {
  test("is sent once, and returns the first result again", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    const first = await row.call(gateway, IDS, { idempotencyKey }).withResponse();
    const again = await row.call(gateway, IDS, { idempotencyKey }).withResponse();
    expect(again.data).toEqual(first.data);
    expect(again.body).toEqual(first.body);
    expect(again.response.status).toBe(first.response.status);
    expect(sent).toHaveLength(1);
  });

  test("is sent once for each key, and each time without a key", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    for (const key of ["a", "b"]) await row.call(gateway, IDS, { idempotencyKey: key });
    for (const _ of ["once", "twice"]) await row.call(gateway, IDS);
    expect(sent).toHaveLength(4);
  });

  test("stays unknown until it is resolved by a reference", async () => {
    const { gateway, sent } = gatewayWith([reset, paid]);
    expect((await failureOf(row.call(gateway, IDS, { idempotencyKey }))).outcome).toBe("unknown");
    for (const _ of ["once", "twice"]) {
      const error = await failureOf(row.call(gateway, IDS, { idempotencyKey }));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ code: "outcome_unknown", outcome: "unknown", idempotencyKey });
    }
    await gateway.idempotency.resolve(idempotencyKey, "PAY-found", { endpoint: name });
    const result = await row.call(gateway, IDS, { idempotencyKey });
    expect(result).toEqual({ reference: "PAY-found" });
    expect(sent).toHaveLength(1);
  });

  test('is sent again once it is resolved as "not_sent"', async () => {
    const { gateway, sent } = gatewayWith([reset, paid]);
    await failureOf(row.call(gateway, IDS, { idempotencyKey }));
    await gateway.idempotency.resolve(idempotencyKey, "not_sent", { endpoint: name });
    await expect(row.call(gateway, IDS, { idempotencyKey })).resolves.toMatchObject({
      status: "pending",
    });
    expect(sent).toHaveLength(2);
  });
});

test.each([200, 201, 202])("a stored result has its status %i again", async (code) => {
  const { gateway } = gatewayWith([json({ data: { reference: "PAY-1" } }, { status: code })]);
  for (const _ of ["once", "twice"]) {
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey }).withResponse();
    expect((await call).response.status).toBe(code);
  }
});

test.each([204, 205])(
  "a stored result without a body, as of a %i, is returned again",
  async (code) => {
    const { gateway, sent } = gatewayWith([text(null, { status: code })]);
    const post = () => gateway.request({ method: "POST", path: "/reports" }, { idempotencyKey });
    const first = await post().withResponse();
    const again = await post().withResponse();
    for (const { data, body, response } of [first, again]) {
      expect([data, body, response.status]).toEqual([{}, undefined, code]);
    }
    expect(sent).toHaveLength(1);
  },
);

test("the same key of another endpoint is another key", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  for (const [, row] of CREATES) await row.call(gateway, IDS, { idempotencyKey });
  expect(sent).toHaveLength(5);
});

// biome-ignore format: a table is read across
const FREED: readonly [name: string, step: Step, outcome: string][] = [
  ...[400, 401, 403, 404, 409, 422, 429].map((code) => [`returned ${code}`, status(code), "rejected"] as [string, Step, string]),
  ["returned `success: false`", json({ success: false, error: "no" }), "rejected"],
  ["could not connect", connectionRefused, "not_sent"],
  ["could not find its host", noSuchHost, "not_sent"],
];

test.each(FREED)("a key is free again after a call that %s", async (_, step, outcome) => {
  const { gateway, sent } = gatewayWith([step, paid]);
  const options = { idempotencyKey, maxRetries: 0 };
  expect((await failureOf(gateway.mobileMoney.initiate(order, options))).outcome).toBe(outcome);
  const changed = { ...order, amount: 200 };
  await expect(gateway.mobileMoney.initiate(changed, options)).resolves.toMatchObject({});
  expect(sent).toHaveLength(2);
});

// biome-ignore format: a table is read across
const UNKNOWN: readonly [name: string, step: Step][] = [
  ...[408, 500, 502, 503, 504].map((code) => [`returned ${code}`, status(code)] as [string, Step]),
  ["was reset", reset],
  ["got no response", neverResponds],
  ["got half a response", truncated],
  ["returned an HTML page", html()],
  ["returned no reference", json({ success: true, data: {} })],
];

test.each(UNKNOWN)("a key is not free again after a call that %s", async (_, step) => {
  const { gateway, sent } = gatewayWith([step, paid]);
  const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  expect(error.outcome).toBe("unknown");
  const again = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  expect(again).toBeInstanceOf(OutcomeUnknownError);
  expect(sent).toHaveLength(1);
});

test("a create that is retried within one call is stored as one result", async () => {
  const { gateway, sent } = gatewayWith([connectionRefused, status(429), paid]);
  const call = gateway.mobileMoney.initiate(order, { idempotencyKey });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await gateway.mobileMoney.initiate(order, { idempotencyKey })).toEqual(await call);
  expect(sent).toHaveLength(3);
});
