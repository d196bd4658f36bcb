import { IdempotencyConflictError, InvalidParamsError } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith, rejection } from "../client/support/gateway.ts";
import { type Attempt, neverResponds, reset, type Step } from "../client/support/responses.ts";
import { IDS, ROWS } from "../support/endpoints.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CREATES = ROWS.filter(({ effect }) => effect === "create");
const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";

let made = 0;
/** Returns another payment each time. */
const paid: Step = () =>
  Response.json({ success: true, data: { reference: `PAY-${++made}`, status: "pending" } });

describe("other parameters under the same key", () => {
  const conflicts = async (steps: readonly Step[], isOver: boolean) => {
    const { gateway, sent } = gatewayWith(steps);
    const first = gateway.mobileMoney.initiate(order, { idempotencyKey });
    if (isOver) await Promise.allSettled([first, vi.advanceTimersByTimeAsync(100_000)]);
    const second = gateway.mobileMoney.initiate({ ...order, amount: 200 }, { idempotencyKey });
    const error = await rejection(second);
    expect(error).toBeInstanceOf(IdempotencyConflictError);
    expect(error).toMatchObject({
      code: "idempotency_conflict",
      outcome: "not_sent",
      idempotencyKey,
    });
    expect(sent).toHaveLength(1);
    await Promise.allSettled([first, vi.advanceTimersByTimeAsync(100_000)]);
  };

  test("are rejected after the first succeeded", () => conflicts([paid], true));
  test("are rejected while the first is in flight", () => conflicts([neverResponds], false));
  test("are rejected while the first is unknown", () => conflicts([reset], true));

  test.each([
    ["query", (id: unknown) => ({ query: { id: JSON.stringify(id) } })],
    ["body", (id: unknown) => ({ body: { id } })],
    ["lists", (id: unknown) => ({ body: [id, 3] })],
  ])("are another call if the %s differs", async (_, params) => {
    const { gateway, sent } = gatewayWith([paid]);
    const post = (id: unknown) =>
      gateway.request({ method: "POST", path: "/reports", ...params(id) }, { idempotencyKey });
    await post(1);
    for (const other of [2, [1], { id: 1 }, null]) {
      expect(await failureOf(post(other))).toBeInstanceOf(IdempotencyConflictError);
    }
    expect(sent).toHaveLength(1);
  });

  test("are the same with fields in another order, or with an undefined field", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    const first = await gateway.invoices.create({ a: 1, b: { c: 2, d: [3] } }, { idempotencyKey });
    const fields = { b: { d: [3], c: 2, e: undefined }, a: 1 };
    expect(await gateway.invoices.create(fields, { idempotencyKey })).toEqual(first);
    expect(sent).toHaveLength(1);
  });

  test("are the same with a phone in another notation", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    await gateway.mobileMoney.initiate(order, { idempotencyKey });
    await gateway.mobileMoney.initiate({ ...order, phone: "0712 345 678" }, { idempotencyKey });
    expect(sent).toHaveLength(1);
  });
});

// biome-ignore format: a table is read across
const BAD_KEYS: readonly [name: string, key: unknown, given: string][] = [
  ["empty", "", "0 characters"],
  ["256 characters long", "x".repeat(256), "256 characters"],
  ["a number", 42, "42"],
  ["null", null, "null"],
  ["an object", { toString: () => "k" }, "an object"],
  ["a boxed string", Object("k"), "an object"],
  ["a symbol", Symbol("k"), "Symbol(k)"],
  ["with half a character", "ORDER-\ud83d", "one with a character that cannot be stored"],
  ["with a NUL", "ORDER-\0", "one with a character that cannot be stored"],
];

test.each(BAD_KEYS)(
  "a key that is %s is rejected before anything is sent",
  async (_, key, given) => {
    const message = `expected a string of 1 to 255 characters, got ${given}`;
    for (const row of CREATES) {
      const { gateway, sent } = gatewayWith([paid]);
      const error = await failureOf(row.call(gateway, IDS, { idempotencyKey: key as string }));
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(error).toMatchObject({
        outcome: "not_sent",
        message: expect.stringMatching(
          /^POST \/.*: `idempotencyKey` is invalid: expected .* Nothing was sent\.$/,
        ),
        issues: [{ path: ["idempotencyKey"], message }],
      });
      expect(error.message).toContain(message);
      expect(sent).toHaveLength(0);
    }
  },
);

test("a store gets the parameters in one form, the same in every version of the package", async () => {
  const given: string[] = [];
  const store = memoryIdempotency();
  const { gateway } = gatewayWith([paid], {
    idempotency: {
      ...store,
      begin: (name, attempt) => {
        given.push(`${name}\n${attempt.parameters}`);
        return store.begin(name, attempt);
      },
    },
  });
  const body = { b: [{ d: 1, c: null }], a: { Z: "1.00", É: 2, z: 3 }, "": true };
  await gateway.invoices.create(body, { idempotencyKey: "k" });
  await gateway.invoices.send("inv_9", undefined, { idempotencyKey: "k" });
  expect(given).toEqual([
    'POST /invoices k\n/invoices {"":true,"a":{"Z":"1.00","z":3,"É":2},"b":[{"c":null,"d":1}]}',
    "POST /invoices/{invoice}/send k\n/invoices/inv_9/send",
  ]);
});

test("a key of 255 characters, in any alphabet, is accepted", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  for (const key of ["x".repeat(255), "agizo la Amina", "طلب ٤٢", "\ud83d\udecd"]) {
    await gateway.mobileMoney.initiate(order, { idempotencyKey: key });
  }
  expect(sent).toHaveLength(4);
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

test.each([
  ["a cycle", cycle],
  ["a bigint", { amount: 1n }],
  [
    "what throws when it is read",
    {
      toJSON: () => {
        throw new RangeError("no");
      },
    },
  ],
])(
  "parameters that cannot be serialised (%s) are rejected and leave the key free",
  async (_, fields) => {
    const { gateway, sent } = gatewayWith([paid]);
    const error = await failureOf(gateway.invoices.create(fields, { idempotencyKey }));
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error.outcome).toBe("not_sent");
    expect(sent).toHaveLength(0);
    await gateway.invoices.create({ amount: 1 }, { idempotencyKey });
    expect(sent).toHaveLength(1);
  },
);

test("a key is not part of the request", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  await gateway.mobileMoney.initiate(order, { idempotencyKey: "only-here" });
  const [{ url, headers, body } = {} as Attempt] = sent;
  expect(JSON.stringify([url, [...headers], body])).not.toContain("only-here");
});

test.each(ROWS.filter(({ effect }) => effect !== "create").map((row) => [row.name, row] as const))(
  "%s has no idempotency key: it may be repeated anyway",
  async (_, row) => {
    const { gateway, sent } = gatewayWith([paid]);
    const options = { idempotencyKey } as object;
    expect((await failureOf(row.call(gateway, IDS, options))).code).toBe("configuration");
    expect(sent).toHaveLength(0);
  },
);
