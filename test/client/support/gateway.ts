import { Gateway, type GatewayError, type GatewayOptions } from "malipo";
import { vi } from "vitest";
import { type Fetch, type Step, script } from "./responses.ts";
// Loaded before any call: fake time does not wait for the parts of the client that load on demand.
import "../../../src/client/http/check-body.ts";
import "../../../src/client/keyed-call.ts";
import "../../../src/client/default-store.ts";

export const BASE_URL = "https://gateway.test/api/v1";

export const KEYS = {
  public: "pk_test_4f9a",
  secret: "sk_test_4f9a",
  sandbox: "sb_test_4f9a",
} as const;

/** A gateway on some `fetch`. Its key is a `string`, so that it has every method. */
export function gatewayOn(fetch: Fetch, options: GatewayOptions = {}): Gateway {
  return new Gateway({ apiKey: KEYS.secret, baseUrl: BASE_URL, fetch, ...options });
}

/** A gateway whose attempts take these steps, and what it sent. */
export function gatewayWith(steps: readonly Step[], options: GatewayOptions = {}) {
  const { fetch, sent } = script(...steps);
  return { gateway: gatewayOn(fetch, options), sent };
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    (value) => {
      throw new Error(`It resolved, with ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error as GatewayError,
  );
}

/** The result of a call under fake timers, after more time than any call may take. */
async function later<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const result = Promise.allSettled([promise]);
  await vi.advanceTimersByTimeAsync(600_000);
  return (await result)[0];
}

/** The same, for a call that fails. */
export async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  const result = await later(promise);
  if (result.status === "fulfilled") throw new Error("It resolved.");
  return result.reason;
}
