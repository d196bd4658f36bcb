import {
  ConfigurationError,
  ConnectionError,
  type Gateway,
  IdempotencyConflictError,
  InvalidParamsError,
  type OutcomeUnknownError,
} from "malipo";
import type { EndpointName } from "malipo/types";
import { describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { ROWS } from "../../support/endpoints.ts";
import { gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { json, neverResponds, reset } from "../support/responses.ts";

const order = { amount: 100, phone: "0712345678" };
const key = "ORDER-42/1";
const success = json({ success: true, data: { reference: "PAY-1" } });
const initiate = (gateway: Gateway) => gateway.mobileMoney.initiate(order, { idempotencyKey: key });

describe("an attempt of unknown outcome", () => {
  test("is resolved only once", async () => {
    const { gateway, sent } = gatewayWith([reset]);
    await rejection(initiate(gateway));
    await gateway.idempotency.resolve(key, "PAY-7");
    for (const late of ["PAY-8", "not_sent"]) {
      const error = await rejection(gateway.idempotency.resolve(key, late));
      expect(error).toBeInstanceOf(IdempotencyConflictError);
      expect(error).toMatchObject({ outcome: "not_sent", idempotencyKey: key });
    }
    expect(await initiate(gateway)).toEqual({ reference: "PAY-7" });
    expect(sent).toHaveLength(1);
  });

  test("is resolved by another process with the name of the attempt, and by no other name", async () => {
    const idempotency = memoryIdempotency();
    const { gateway } = gatewayWith([reset], { idempotency });
    await rejection(initiate(gateway));
    const { attempt } = (await rejection(initiate(gateway))) as OutcomeUnknownError;
    const wrong = await rejection(gateway.idempotency.resolve(key, "not_sent", { attempt: "x" }));
    expect(wrong).toBeInstanceOf(IdempotencyConflictError);
    await gateway.idempotency.resolve(key, "PAY-7", { attempt });
    expect(await initiate(gateway)).toEqual({ reference: "PAY-7" });
  });

  test("is resolved by another gateway on the same store", async () => {
    const idempotency = memoryIdempotency();
    const { gateway } = gatewayWith([reset], { idempotency });
    await rejection(initiate(gateway));
    const office = gatewayWith([neverResponds], { idempotency }).gateway;
    await office.idempotency.resolve(key, "PAY-7");
    const { data, response, body } = await initiate(gateway).withResponse();
    expect(data).toEqual({ reference: "PAY-7" });
    expect(response.status).toBe(200);
    expect(body).toEqual({ success: true, data: { reference: "PAY-7" } });
  });

  test.each([
    ["POST /reports", { method: "POST", path: "/reports" }],
    ["PATCH /reports/7", { method: "PATCH", path: "/reports/7" }],
    ["POST /reports/0712345678", { method: "POST", path: "/reports/0712345678" }],
    ["POST /reports/{x}", { method: "POST", path: "/reports/{x}" }],
    ["POST /invoices/9/send", { method: "POST", path: "/invoices/9/send" }],
    ["invoices.send", { method: "POST", path: "/invoices/9/send" }],
    ["mobileMoney.initiate", { method: "POST", path: "/mobile-money/payment/initiate" }],
  ] as const)("of gateway.request is resolved as %s", async (endpoint, params) => {
    const { gateway, sent } = gatewayWith([reset, success]);
    const request = () => gateway.request({ ...params, body: order }, { idempotencyKey: key });
    await rejection(request());
    await gateway.idempotency.resolve(key, "PAY-7", { endpoint });
    expect(await request()).toEqual({ reference: "PAY-7" });
    expect(sent).toHaveLength(1);
  });
});

describe("there is nothing to resolve", () => {
  test("if the key is free", async () => {
    const { gateway } = gatewayWith([success]);
    for (const outcome of ["PAY-7", "not_sent"]) {
      const error = await rejection(gateway.idempotency.resolve(key, outcome));
      expect(error).toBeInstanceOf(IdempotencyConflictError);
      expect(error.message).toContain("is free");
    }
    expect(await initiate(gateway)).toEqual({ reference: "PAY-1" });
  });

  test("if the attempt is in flight", async () => {
    const { gateway, sent } = gatewayWith([neverResponds]);
    const controller = new AbortController();
    const { signal } = controller;
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey: key, signal });
    const ended = rejection(call);
    await expect.poll(() => sent.length).toBe(1);
    const error = await rejection(gateway.idempotency.resolve(key, "not_sent"));
    expect(error.message).toContain("is in flight");
    controller.abort("done");
    await ended;
  });

  test("if it succeeded", async () => {
    const { gateway, sent } = gatewayWith([success]);
    await initiate(gateway);
    const error = await rejection(gateway.idempotency.resolve(key, "not_sent"));
    expect(error.message).toContain("has succeeded");
    expect(await initiate(gateway)).toEqual({ reference: "PAY-1" });
    expect(sent).toHaveLength(1);
  });
});

test.each(["", "x".repeat(256), 42, null, undefined])(
  "an invalid key is rejected: %j",
  async (bad) => {
    const { gateway } = gatewayWith([success]);
    const error = await rejection(gateway.idempotency.resolve(bad as string, "PAY-7"));
    expect(error).toBeInstanceOf(InvalidParamsError);
  },
);

test.each(["", 42, null, undefined, { reference: "PAY-7" }])(
  'an outcome that is neither a reference nor "not_sent" is rejected and frees nothing: %j',
  async (bad) => {
    const { gateway, sent } = gatewayWith([reset]);
    await rejection(initiate(gateway));
    const error = await rejection(gateway.idempotency.resolve(key, bad as string));
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect((await rejection(initiate(gateway))).code).toBe("outcome_unknown");
    expect(sent).toHaveLength(1);
  },
);

// biome-ignore format: one list
const NO_CREATION = [
  "mobileMoney.iniate", "toString", "", "GET /reports", "POST reports", "PUT /reports/1", "POST /mobile-money/validate-phone", "REPOST /reports", "POST /reports\nx",
  ...ROWS.filter(({ effect }) => effect !== "create").map(({ name }) => name),
];

test.each(NO_CREATION)("%j is not the name of a call that creates something", async (name) => {
  const { gateway } = gatewayWith([success]);
  const endpoint = name as EndpointName;
  const error = await rejection(gateway.idempotency.resolve(key, "PAY-7", { endpoint }));
  expect(error).toBeInstanceOf(ConfigurationError);
});

test("an unknown option is rejected", async () => {
  const { gateway } = gatewayWith([success]);
  const options = { endpont: "invoices.send" } as object;
  const error = await rejection(gateway.idempotency.resolve(key, "PAY-7", options));
  expect(error).toBeInstanceOf(ConfigurationError);
});

test("the error of a store that fails has its cause", async () => {
  const cause = new Error("the disk is full");
  for (const resolve of [
    () => Promise.reject(cause),
    () => {
      throw cause;
    },
  ]) {
    const idempotency = { ...memoryIdempotency(), resolve };
    const { gateway } = gatewayWith([success], { idempotency });
    const error = await rejection(gateway.idempotency.resolve(key, "PAY-7"));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "not_sent", cause });
  }
});

test("an API key in the path of a request never reaches the store", async () => {
  const names: string[] = [];
  const store = memoryIdempotency();
  const { gateway } = gatewayWith([reset], {
    idempotency: {
      ...store,
      begin: (name, attempt) => {
        names.push(name);
        return store.begin(name, attempt);
      },
    },
  });
  const path = `/keys/${KEYS.secret}` as const;
  await rejection(gateway.request({ method: "POST", path }, { idempotencyKey: key }));
  expect(names.join()).toContain("POST /keys/");
  expect(names.join()).not.toContain(KEYS.secret);
});
