import { type IdempotencyStore, memoryIdempotency } from "malipo";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deaf, json, reset, type Step } from "../support/answers.ts";
import { failureOf, gatewayMeeting } from "../support/gateway.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Gateway = ReturnType<typeof gatewayMeeting>["gateway"];

const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";
const answered = json({ success: true, data: { reference: "PAY-1" } });

const pay = ({ mobileMoney }: Gateway, options = {}, params = order) =>
  mobileMoney.initiate(params, { idempotencyKey, ...options });
const resolve = ({ idempotency }: Gateway, outcome: unknown, options = {}) =>
  idempotency.resolve(idempotencyKey, outcome as string, options);

const down = () => Promise.reject(new Error("the disk is full"));
const silent: IdempotencyStore = { ...memoryIdempotency(), begin: () => new Promise(() => {}) };
const failing: IdempotencyStore = { ...memoryIdempotency(), begin: down, resolve: down };

const ENDPOINT = "POST /mobile-money/payment/initiate";

interface Trouble {
  readonly name: string;
  readonly step: Step;
  readonly store?: IdempotencyStore;
  readonly failure: (gateway: Gateway) => Promise<unknown>;
  readonly code: string;
  readonly issues?: object;
  readonly message: string;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: "a key that was used with other parameters",
    step: answered,
    failure: async (gateway) => {
      await pay(gateway);
      return pay(gateway, {}, { ...order, amount: 7 });
    },
    code: "idempotency_conflict",
    message: `${ENDPOINT}: the idempotency key "ORDER-42/1" was used with other parameters. Nothing was sent. A new order, or a new try of a failed one, needs a new key.`,
  },
  {
    name: "an earlier attempt that may have happened",
    step: reset,
    failure: async (gateway) => {
      await pay(gateway).catch(() => {});
      return pay(gateway);
    },
    code: "outcome_unknown",
    message: `${ENDPOINT}: an earlier attempt under the idempotency key "ORDER-42/1" may have happened, so nothing was sent now. Look whether it did, then close it: gateway.idempotency.resolve(key, reference), or "not_sent".`,
  },
  {
    name: "no answer in time",
    step: deaf,
    failure: (gateway) => pay(gateway, { totalTimeoutMs: 1_000, timeoutMs: 60_000 }),
    code: "timeout",
    message: `${ENDPOINT}: no result within totalTimeoutMs (1000 ms). Look before sending again.`,
  },
  {
    name: "a store that does not answer in time",
    step: answered,
    store: silent,
    failure: (gateway) => pay(gateway, { totalTimeoutMs: 1_000 }),
    code: "timeout",
    message: `${ENDPOINT}: no result within totalTimeoutMs (1000 ms). Nothing was sent.`,
  },
  {
    name: "a store that fails",
    step: answered,
    store: failing,
    failure: pay,
    code: "connection",
    message: `${ENDPOINT}: the idempotency store failed, so nothing was sent. It may be sent again.`,
  },
  {
    name: "a store that fails to resolve",
    step: answered,
    store: failing,
    failure: (gateway) => resolve(gateway, "PAY-7"),
    code: "connection",
    message: `${ENDPOINT}: the idempotency store failed. It may be resolved again.`,
  },
  {
    name: "an attempt to resolve that is another one",
    step: reset,
    failure: async (gateway) => {
      await pay(gateway).catch(() => {});
      return resolve(gateway, "PAY-7", { attempt: "another" });
    },
    code: "idempotency_conflict",
    message: `${ENDPOINT}: the attempt under the idempotency key "ORDER-42/1" is another one than you were told of: look again, then resolve that one.`,
  },
  {
    name: "nothing to resolve",
    step: answered,
    failure: (gateway) => resolve(gateway, "PAY-7"),
    code: "idempotency_conflict",
    message: `${ENDPOINT}: the attempt under the idempotency key "ORDER-42/1" is free, so there is nothing to resolve.`,
  },
  {
    name: "an outcome that is none",
    step: answered,
    failure: (gateway) => resolve(gateway, undefined),
    code: "invalid_params",
    issues: [{ path: ["outcome"], message: 'expected the reference of a payment, or "not_sent"' }],
    message: 'resolve: expected the reference of a payment, or "not_sent".',
  },
  {
    name: "a call to resolve that creates nothing",
    step: answered,
    failure: (gateway) => resolve(gateway, "PAY-7", { endpoint: "payments.get" }),
    code: "configuration",
    message: 'No call that creates is named "payments.get".',
  },
  {
    name: "an option of `resolve` that is none",
    step: answered,
    failure: (gateway) => resolve(gateway, "PAY-7", { endpont: "invoices.send" }),
    code: "configuration",
    message: '`resolve` has no option "endpont". It has endpoint, attempt.',
  },
];

test.each(TROUBLES)(
  "$name: the error says what failed, and the way out",
  async ({ step, store, failure, code, issues, message }) => {
    const { gateway } = gatewayMeeting([step], store && { idempotency: store });
    const error = await failureOf(failure(gateway));
    expect(error).toMatchObject({ code, message, ...(issues && { issues }) });
  },
);
