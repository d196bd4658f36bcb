import { createSandbox } from "malipo/sandbox";
import { expect, test } from "vitest";
import { type Gateway, memory } from "../../../src/index.ts";
import { gatewayOn, gatewayWith } from "../support/gateway.ts";
import {
  connectionRefused,
  html,
  json,
  neverResponds,
  type Step,
  status,
} from "../support/responses.ts";

const PARAMS = { amount: 100, phone: "0712345678", account_reference: "ORDER-42" };

const meeting = (...steps: Step[]): Gateway => gatewayWith(steps, { maxRetries: 0 }).gateway;

async function sandboxGateway(): Promise<Gateway> {
  const { baseUrl, fetch, keys } = createSandbox();
  return gatewayOn(fetch, { apiKey: keys.secret, baseUrl });
}

/** Calls that fail. Each awaits in a function whose name the stack must show. */
// biome-ignore format: a table is read across
const CALLS: [string, () => Promise<unknown>][] = [
  ["a status", async function checkout() { await meeting(status(404)).payments.get("PAY-1"); }],
  ["a refused connection", async function checkout() { await meeting(connectionRefused).payments.get("PAY-1"); }],
  ["a timeout", async function checkout() { await meeting(neverResponds).payments.get("PAY-1", { timeoutMs: 5 }); }],
  ["a body that is not JSON", async function checkout() { await meeting(html()).payments.get("PAY-1"); }],
  ["success: false", async function checkout() { await meeting(json({ success: false })).merchant.get(); }],
  ["a retried call", async function checkout() { await gatewayWith([status(503, { "retry-after": "0" })]).gateway.merchant.get(); }],
  ["withResponse", async function checkout() { await meeting(status(500)).merchant.get().withResponse(); }],
  ["request", async function checkout() { await meeting(status(404)).request({ method: "GET", path: "/none" }); }],
  ["a wrong parameter", async function checkout() { await meeting().mobileMoney.initiate({ ...PARAMS, amount: -1 }); }],
  ["an idempotency key", async function checkout() { await meeting(status(500)).mobileMoney.initiate(PARAMS, { idempotencyKey: "ORDER-42/1" }); }],
  ["a failed store", async function checkout() {
    const idempotency = { ...memory(), begin: () => Promise.reject(new Error("down")) };
    await gatewayWith([], { idempotency }).gateway.mobileMoney.initiate(PARAMS, { idempotencyKey: "ORDER-42/1" });
  }],
  ["collect", async function checkout() { await meeting(status(422)).mobileMoney.collect(PARAMS, { idempotencyKey: "ORDER-42/1" }); }],
  ["a wait", async function checkout() {
    const { payments, mobileMoney } = await sandboxGateway();
    const { reference } = await mobileMoney.initiate(PARAMS);
    await payments.waitFor(reference, { waitMs: 20 });
  }],
];

test.each(CALLS)(
  "the stack of an error leads to the caller's own file: %s",
  async (_, checkout) => {
    const error: Error = await checkout().then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error.stack).toMatch(/at .*checkout .*stack\.test\.ts:\d+/);
    expect(error.stack).toMatch(new RegExp(`^${error.name}: `));
  },
);

test("an error that a hook has frozen is thrown as it is", async () => {
  const { gateway } = gatewayWith([status(404)], {
    hooks: {
      request:
        () =>
        ({ error }) =>
          void Object.freeze(error),
    },
  });
  await expect(gateway.merchant.get()).rejects.toMatchObject({ code: "not_found" });
});

test("the reason of an abort keeps its own stack", async () => {
  const reason = new Error("left");
  const { stack } = reason;
  const signal = AbortSignal.timeout(5_000);
  const controller = new AbortController();
  const pending = meeting(neverResponds).merchant.get({
    signal: AbortSignal.any([signal, controller.signal]),
  });
  controller.abort(reason);
  await expect(pending).rejects.toBe(reason);
  expect(reason.stack).toBe(stack);
});
