import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConnectionError, type IdempotencyStore, TimeoutError } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith, KEYS, rejection } from "../client/support/gateway.ts";
import { hang, json, reset, status } from "../client/support/responses.ts";
import { IDS, ROWS } from "../support/endpoints.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CREATES = ROWS.filter(({ effect }) => effect === "create");
const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";
const success = json({ success: true, data: { reference: "PAY-1" } });
const down = new Error("the disk is full");
const never = () => new Promise<never>(() => {});

function closed(): IdempotencyStore {
  const store = sqliteIdempotency(":memory:");
  store.close();
  return store;
}

/** Stores that fail, in every way in which a user's own store may fail. */
const DOWN: readonly [name: string, store: () => IdempotencyStore][] = [
  ["is closed", closed],
  ["rejects", () => ({ ...memoryIdempotency(), begin: () => Promise.reject(down) })],
  [
    "throws",
    () => ({
      ...memoryIdempotency(),
      begin: () => {
        throw down;
      },
    }),
  ],
  [
    "rejects whatever it is asked",
    () => ({
      ...memoryIdempotency(),
      begin: () => Promise.reject(down),
      finish: () => Promise.reject(down),
      forget: () => Promise.reject(down),
      resolve: () => Promise.reject(down),
    }),
  ],
  [
    "rejects, and then hangs",
    () => ({
      ...memoryIdempotency(),
      begin: () => Promise.reject(down),
      finish: never,
      forget: never,
      resolve: never,
    }),
  ],
];

/** A store of a user's own that resolves with what no store may resolve with. */
const beginsWith = (result: unknown) => (): IdempotencyStore => ({
  ...memoryIdempotency(),
  begin: () => Promise.resolve(result as never),
});
/** The store has the record of this very call. */
const SAME = { sameParameters: true, sameService: true };
const DOWN_BY_NONSENSE: typeof DOWN = [
  ["resolves with undefined", beginsWith(undefined)],
  ["resolves with a text", beginsWith("begun")],
  ["resolves with an unknown state", beginsWith({ state: "finished", ...SAME })],
  ["resolves with a state of no text", beginsWith({ state: 1 })],
  ["does not say whether the parameters are the same", beginsWith({ state: "in_flight" })],
  ["succeeded without a result", beginsWith({ state: "succeeded", ...SAME })],
  [
    "does not say whose attempt is unknown",
    beginsWith({ state: "unknown", ...SAME, notSentInMs: 0 }),
  ],
  [
    "does not say for which service a call succeeded",
    beginsWith({ state: "succeeded", sameParameters: true, result: "{}" }),
  ],
  [
    "resolves with an object that throws",
    beginsWith({
      get state() {
        throw down;
      },
    }),
  ],
];
const UNREADABLE_RESULTS = [
  "",
  "null",
  "[]",
  "{",
  '{"status":99999,"text":"{}"}',
  '{"status":200}',
  '{"status":200,"text":"<p>"}',
];

test.each(UNREADABLE_RESULTS)(
  "a stored result that cannot be read is a typed error, and nothing is sent: %s",
  async (result) => {
    const idempotency = beginsWith({ state: "succeeded", ...SAME, result })();
    const { gateway, sent } = gatewayWith([success], { idempotency });
    const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "not_sent" });
    expect(error.message).toContain("cannot be read, so nothing was sent now");
    expect(error.message).toContain('"ORDER-42/1"');
    expect(sent).toHaveLength(0);
  },
);

describe.each([...DOWN, ...DOWN_BY_NONSENSE])("with a store that %s", (_, store) => {
  test("no call with a key is sent", async () => {
    for (const row of CREATES) {
      const { gateway, sent } = gatewayWith([success], { idempotency: store() });
      const error = await failureOf(row.call(gateway, IDS, { idempotencyKey }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
      expect(error.cause).toBeInstanceOf(Error);
      expect(error.message).toContain("nothing was sent");
      expect(sent).toHaveLength(0);
    }
  });

  test("calls without a key are sent", async () => {
    const { gateway, sent } = gatewayWith([success], { idempotency: store() });
    await gateway.mobileMoney.initiate(order);
    expect(sent).toHaveLength(1);
  });
});

test("what a store throws shows neither the phone nor the key", async () => {
  const begin: IdempotencyStore["begin"] = (_, { parameters }) =>
    Promise.reject(new Error(`cannot write ${parameters} with ${KEYS.secret}`));
  const { gateway } = gatewayWith([success], { idempotency: { ...memoryIdempotency(), begin } });
  const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  const { message, stack } = error.cause as Error;
  for (const text of [message, stack]) {
    expect(text).toContain("0712***678");
    expect(text).not.toContain("0712345678");
    expect(text).not.toContain(KEYS.secret);
  }
});

test("a store whose resolve() returns nonsense is a typed error", async () => {
  for (const result of [undefined, "done", Symbol("x"), {}]) {
    const resolve = () => Promise.resolve(result as never);
    const { gateway } = gatewayWith([success], {
      idempotency: { ...memoryIdempotency(), resolve },
    });
    const error = await failureOf(gateway.idempotency.resolve(idempotencyKey, "not_sent"));
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
  }
});

test("an attempt that the store began before it failed is freed", async () => {
  const store = memoryIdempotency();
  let lost = false;
  const begin: IdempotencyStore["begin"] = async (...args) => {
    const found = await store.begin(...args);
    if (lost) return found;
    lost = true;
    throw new Error("the answer was lost");
  };
  const { gateway, sent } = gatewayWith([success], { idempotency: { ...store, begin } });
  const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  expect(error.outcome).toBe("not_sent");
  await gateway.mobileMoney.initiate(order, { idempotencyKey });
  expect(sent).toHaveLength(1);
});

test("a record of a later version rejects the call with its version, and nothing is sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-idempotency-"));
  const path = join(folder, "keys.db");
  const store = sqliteIdempotency(path);
  const { gateway, sent } = gatewayWith([reset, success], { idempotency: store });
  await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  const database = new DatabaseSync(path);
  database.exec("UPDATE malipo_idempotency SET version = 3");
  database.close();
  const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
  expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
  expect((error.cause as Error).message).toContain("version 3");
  const resolved = await rejection(gateway.idempotency.resolve(idempotencyKey, "not_sent"));
  expect((resolved.cause as Error).message).toContain("version 3");
  expect(sent).toHaveLength(1);
  store.close();
  rmSync(folder, { recursive: true });
});

describe("with a store that hangs", () => {
  /** A store whose `begin` waits until it is released. */
  function slow() {
    const store = memoryIdempotency();
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const begin: IdempotencyStore["begin"] = async (...args) => {
      await gate;
      return store.begin(...args);
    };
    return { store, idempotency: { ...store, begin }, letGo };
  }

  test("a call ends at totalTimeoutMs, is not sent later, and leaves its key free", async () => {
    const { store, idempotency, letGo } = slow();
    const { gateway, sent } = gatewayWith([success], { idempotency });
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey, totalTimeoutMs: 5_000 });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: "not_sent", timeoutMs: 5_000 });
    letGo();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toHaveLength(0);
    const other = gatewayWith([success], { idempotency: store });
    await other.gateway.mobileMoney.initiate({ ...order, amount: 7 }, { idempotencyKey });
    expect(other.sent).toHaveLength(1);
  });

  test("an abort ends a call at once, and it is not sent later", async () => {
    const { idempotency, letGo } = slow();
    const { gateway, sent } = gatewayWith([success], { idempotency });
    const controller = new AbortController();
    const { signal } = controller;
    const call = rejection(gateway.mobileMoney.initiate(order, { idempotencyKey, signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort("gone");
    expect(await call).toBe("gone");
    letGo();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toHaveLength(0);
    await gateway.mobileMoney.initiate(order, { idempotencyKey });
    expect(sent).toHaveLength(1);
  });
});

describe("with a store that fails after the call was sent", () => {
  test.each([
    ["rejects", () => Promise.reject(down)],
    [
      "throws",
      () => {
        throw down;
      },
    ],
    ["hangs", never],
  ])("the caller gets the result, and the key becomes unknown later: %s", async (_, finish) => {
    const store = memoryIdempotency();
    const idempotency = { ...store, finish };
    const { gateway, sent } = gatewayWith([success], { idempotency });
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await call).toEqual({ reference: "PAY-1" });
    await vi.advanceTimersByTimeAsync(70_000);
    const again = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    expect(again.code).toBe("outcome_unknown");
    expect(sent).toHaveLength(1);
  });

  test("and then works again, the result is stored", async () => {
    const store = memoryIdempotency();
    let failures = 2;
    const finish: IdempotencyStore["finish"] = async (...args) => {
      if (failures-- > 0) throw down;
      return store.finish(...args);
    };
    const { gateway, sent } = gatewayWith([success], { idempotency: { ...store, finish } });
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await gateway.mobileMoney.initiate(order, { idempotencyKey })).toEqual(await call);
    expect(sent).toHaveLength(1);
  });

  test("the end of the call is written three times, with growing delays", async () => {
    const triedAt: number[] = [];
    const finish = () => {
      triedAt.push(Date.now());
      return Promise.reject(down);
    };
    const idempotency = { ...memoryIdempotency(), finish };
    const { gateway } = gatewayWith([success], { idempotency });
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toEqual({ reference: "PAY-1" });
    expect(triedAt.map((at) => at - (triedAt[0] ?? 0))).toEqual([0, 100, 300]);
  });

  test("the caller gets the error of the service", async () => {
    const idempotency = { ...memoryIdempotency(), forget: () => Promise.reject(down) };
    const { gateway } = gatewayWith([status(422)], { idempotency });
    const error = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    expect(error).toMatchObject({ code: "invalid_request", outcome: "rejected" });
  });

  test("the caller's abort ends the call at once", async () => {
    const idempotency = { ...memoryIdempotency(), finish: never };
    const { gateway } = gatewayWith([hang], { idempotency });
    const controller = new AbortController();
    const { signal } = controller;
    const call = rejection(gateway.mobileMoney.initiate(order, { idempotencyKey, signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort("gone");
    expect(await call).toBe("gone");
  });
});
