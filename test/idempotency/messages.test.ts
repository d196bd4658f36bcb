import type { IdempotencyStore } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith } from "../client/support/gateway.ts";
import { json, neverResponds, reset, type Step } from "../client/support/responses.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 31, 9) });
});
afterEach(() => {
  vi.useRealTimers();
});

type Gateway = ReturnType<typeof gatewayWith>["gateway"];

const order = { amount: 100, phone: "0712345678" };
let idempotencyKey: string;
const success = json({ success: true, data: { reference: "PAY-1" } });

const pay = ({ mobileMoney }: Gateway, options = {}, params = order) =>
  mobileMoney.initiate(params, { idempotencyKey, ...options });
const resolve = ({ idempotency }: Gateway, outcome: unknown, options = {}) =>
  idempotency.resolve(idempotencyKey, outcome as string, options);

const down = () => Promise.reject(new Error("the disk is full"));
const silent: IdempotencyStore = { ...memoryIdempotency(), begin: () => new Promise(() => {}) };
const failing: IdempotencyStore = { ...memoryIdempotency(), begin: down, resolve: down };

const SHARED = memoryIdempotency();
const ENDPOINT = "POST /mobile-money/payment/initiate";

interface FailureCase {
  readonly name: string;
  readonly step: Step;
  readonly store?: IdempotencyStore;
  readonly failure: (gateway: Gateway) => Promise<unknown>;
  readonly code: string;
  readonly issues?: object;
  readonly fields?: object;
  readonly message: string;
}

const FAILURE_CASES: readonly FailureCase[] = [
  {
    name: "a key that was used with other parameters",
    step: success,
    failure: async (gateway) => {
      await pay(gateway);
      return pay(gateway, {}, { ...order, amount: 7 });
    },
    code: "idempotency_conflict",
    message: `${ENDPOINT}: the idempotency key "ORDER-42/1" was used with other parameters. Nothing was sent. Use a new key for a new order, and for a new try of a payment that failed.`,
  },
  {
    name: "an earlier attempt that may have happened",
    step: reset,
    failure: async (gateway) => {
      await pay(gateway).catch(() => {});
      return pay(gateway);
    },
    code: "outcome_unknown",
    message: `${ENDPOINT}: an earlier attempt with the idempotency key "ORDER-42/1" may have happened, so nothing was sent now. Its request may be on its way until 2026-01-31T09:01:15.000Z, so look for the payment after that time. Then call gateway.idempotency.resolve(key, reference), or resolve(key, "not_sent") if there is none.`,
  },
  {
    name: "no response in time",
    step: neverResponds,
    failure: (gateway) => pay(gateway, { totalTimeoutMs: 1_000, timeoutMs: 60_000 }),
    code: "timeout",
    message: `${ENDPOINT}: there was no result within totalTimeoutMs (1000 ms). It may have happened: look before you send it again.`,
  },
  {
    name: "a store that takes too long",
    step: success,
    store: silent,
    failure: (gateway) => pay(gateway, { totalTimeoutMs: 1_000 }),
    code: "timeout",
    message: `${ENDPOINT}: there was no result within totalTimeoutMs (1000 ms). Nothing was sent.`,
  },
  {
    name: "a store that fails",
    step: success,
    store: failing,
    failure: pay,
    code: "connection",
    message: `${ENDPOINT}: the idempotency store failed, so nothing was sent. The call may be made again.`,
  },
  {
    name: "a store that fails to resolve",
    step: success,
    store: failing,
    failure: (gateway) => resolve(gateway, "PAY-7"),
    code: "connection",
    message: `${ENDPOINT}: the idempotency store failed while it resolved the attempt. Call resolve again.`,
  },
  {
    name: "another attempt than the one to resolve",
    step: reset,
    failure: async (gateway) => {
      await pay(gateway).catch(() => {});
      return resolve(gateway, "PAY-7", { attempt: "another" });
    },
    code: "idempotency_conflict",
    message: `${ENDPOINT}: nothing was resolved under the idempotency key "ORDER-42/1". Another attempt has begun since this process looked. Look again, then resolve that one.`,
  },
  {
    name: "an attempt that is resolved as not sent too early",
    step: reset,
    failure: async (gateway) => {
      await pay(gateway).catch(() => {});
      return resolve(gateway, "not_sent");
    },
    code: "idempotency_conflict",
    fields: { retryAfterMs: 75_000 },
    message: `${ENDPOINT}: nothing was resolved under the idempotency key "ORDER-42/1". Its request may be on its way until 2026-01-31T09:01:15.000Z. Look for the payment again after that time, then resolve it.`,
  },
  {
    name: "a key that was used with another base URL",
    step: success,
    failure: async (gateway) => {
      await pay(gateway);
      return pay(
        gatewayWith([success], { baseUrl: "https://sandbox.test", idempotency: SHARED }).gateway,
      );
    },
    store: SHARED,
    code: "idempotency_conflict",
    message: `${ENDPOINT}: the idempotency key "ORDER-42/1" was used with another base URL (https://gateway.test/api/v1). This gateway uses https://sandbox.test. Nothing was sent. Give each service its own store, or its own \`scope\` of the store.`,
  },
  {
    name: "a key that another call has in flight",
    step: neverResponds,
    failure: async (gateway) => {
      pay(gateway).catch(() => {});
      await vi.advanceTimersByTimeAsync(1_000);
      return pay(gateway, { idempotencyWaitMs: 500 });
    },
    code: "attempt_in_flight",
    message: `${ENDPOINT}: another call has made an attempt with the idempotency key "ORDER-42/1" since 2026-01-31T09:00:00.000Z, and it did not end while this call waited (500 ms). It ends at 2026-01-31T09:01:10.000Z at the latest. Nothing was sent now. Make the call again later to get its result.`,
  },
  {
    name: "nothing to resolve",
    step: success,
    failure: (gateway) => resolve(gateway, "PAY-7"),
    code: "idempotency_conflict",
    message: `${ENDPOINT}: nothing was resolved under the idempotency key "ORDER-42/1". The key is free: there is no attempt to resolve.`,
  },
  {
    name: "a wrong outcome",
    step: success,
    failure: (gateway) => resolve(gateway, undefined),
    code: "invalid_params",
    issues: [{ path: ["outcome"], message: 'expected the reference of a payment, or "not_sent"' }],
    message:
      'resolve: `outcome` is invalid: expected the reference of a payment, or "not_sent". Nothing was sent.',
  },
  {
    name: "an endpoint that creates nothing",
    step: success,
    failure: (gateway) => resolve(gateway, "PAY-7", { endpoint: "payments.get" }),
    code: "configuration",
    message:
      '`endpoint` must be the name of a call that creates something, such as "invoices.send" or "POST /reports"; got "payments.get".',
  },
  {
    name: "an unknown option of `resolve`",
    step: success,
    failure: (gateway) => resolve(gateway, "PAY-7", { endpont: "invoices.send" }),
    code: "configuration",
    message: 'resolve has no option "endpont". Its options are: endpoint, attempt.',
  },
];

const KEYS = [
  { key: "ORDER-42/1", shown: "ORDER-42/1" },
  // The message of an error goes into logs.
  { key: "254712345678", shown: "2547*****678" },
];

describe.each(KEYS)("under the key $key", ({ key, shown }) => {
  beforeEach(() => {
    idempotencyKey = key;
  });

  test.each(FAILURE_CASES)(
    "$name: the error says what failed and what to do",
    async ({ step, store, failure, code, issues, fields, message }) => {
      const { gateway } = gatewayWith([step], store && { idempotency: store });
      const error = await failureOf(failure(gateway));
      const masked = message.replace("ORDER-42/1", shown);
      expect(error).toMatchObject({ code, message: masked, ...(issues && { issues }), ...fields });
    },
  );
});
