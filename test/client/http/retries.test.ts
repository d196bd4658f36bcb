import type { GatewayErrorCode, Outcome } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { retryDelayMs } from "../../../src/client/http/call-attempts.ts";
import { IDS, minimalBody, ROWS } from "../../support/endpoints.ts";
import { fc } from "../../support/properties.ts";
import { failureOf, gatewayWith } from "../support/gateway.ts";
import {
  connectionRefused,
  endless,
  fail,
  fetchFailed,
  hang,
  html,
  json,
  neverResponds,
  noSuchHost,
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

interface Fault {
  readonly fault: string;
  readonly step: Step;
  readonly code: GatewayErrorCode;
  readonly outcome: Outcome;
  /** How often each kind of row is sent, with two retries allowed. */
  readonly times: { readonly read: number; readonly idempotent: number; readonly create: number };
}

const ONCE = { read: 1, idempotent: 1, create: 1 };
const ALWAYS = { read: 3, idempotent: 3, create: 3 };
const NOT_CREATES = { read: 3, idempotent: 3, create: 1 };

// biome-ignore format: a table is read across
const FAULTS: readonly Fault[] = [
  { fault: "a 400", step: status(400), code: "invalid_request", outcome: "rejected", times: ONCE },
  { fault: "a 401", step: status(401), code: "authentication", outcome: "rejected", times: ONCE },
  { fault: "a 403", step: status(403), code: "permission", outcome: "rejected", times: ONCE },
  { fault: "a 404", step: status(404), code: "not_found", outcome: "rejected", times: ONCE },
  { fault: "a 409", step: status(409), code: "conflict", outcome: "rejected", times: ONCE },
  { fault: "a 422", step: status(422), code: "invalid_request", outcome: "rejected", times: ONCE },
  { fault: "a 408", step: status(408), code: "api", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 425", step: status(425), code: "api", outcome: "rejected", times: ONCE },
  { fault: "a 429", step: status(429), code: "rate_limit", outcome: "rejected", times: ALWAYS },
  { fault: "a 429 with Retry-After", step: status(429, { "retry-after": "2" }), code: "rate_limit", outcome: "rejected", times: ALWAYS },
  { fault: "a 500", step: status(500), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 501", step: status(501), code: "server", outcome: "unknown", times: ONCE },
  { fault: "a 502", step: status(502), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 502 in HTML", step: html(502), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 503", step: status(503), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 503 with Retry-After", step: status(503, { "retry-after": "2" }), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 504", step: status(504), code: "server", outcome: "unknown", times: NOT_CREATES },
  { fault: "a 505", step: status(505), code: "server", outcome: "unknown", times: ONCE },
  { fault: "a 301", step: status(301), code: "api", outcome: "unknown", times: ONCE },
  { fault: "a 302", step: status(302), code: "api", outcome: "unknown", times: ONCE },
  { fault: "a 307", step: status(307), code: "api", outcome: "unknown", times: ONCE },
  { fault: "a refused connection", step: connectionRefused, code: "connection", outcome: "not_sent", times: ALWAYS },
  { fault: "a name that does not resolve", step: noSuchHost, code: "connection", outcome: "not_sent", times: ALWAYS },
  { fault: "a reset", step: reset, code: "connection", outcome: "unknown", times: NOT_CREATES },
  { fault: "a connection closed by the other side", step: fail(fetchFailed("UND_ERR_SOCKET", "read")), code: "connection", outcome: "unknown", times: NOT_CREATES },
  { fault: "a failure without a known cause", step: fail(new Error("odd")), code: "connection", outcome: "unknown", times: NOT_CREATES },
  { fault: "no answer", step: hang, code: "timeout", outcome: "unknown", times: NOT_CREATES },
  { fault: "a fetch that ignores its signal", step: neverResponds, code: "timeout", outcome: "unknown", times: NOT_CREATES },
  { fault: "a body that breaks off", step: truncated, code: "connection", outcome: "unknown", times: NOT_CREATES },
  { fault: "a body that does not end", step: endless, code: "timeout", outcome: "unknown", times: NOT_CREATES },
  { fault: "HTML in a 200", step: html(), code: "unexpected_response", outcome: "unknown", times: ONCE },
  { fault: "success: false in a 200", step: json({ success: false, error: "no" }), code: "api", outcome: "rejected", times: ONCE },
];

const METHODS = [
  ["GET", "read"],
  ["HEAD", "read"],
  ["PUT", "idempotent"],
  ["DELETE", "idempotent"],
  ["POST", "create"],
  ["PATCH", "create"],
] as const;

describe.each(FAULTS)("after $fault", ({ step, code, outcome, times }) => {
  test.each(ROWS)("$name, a $effect, is sent as often as is safe", async (row) => {
    const { gateway, sent } = gatewayWith([step]);
    const error = await failureOf(row.call(gateway, IDS));
    expect(sent).toHaveLength(times[row.effect]);
    expect(error).toMatchObject({ code, outcome });
    // Each attempt says the same.
    expect(new Set(sent.map(({ method, url, body }) => `${method} ${url} ${body}`)).size).toBe(1);
  });

  test.each(METHODS)("gateway.request by %s is treated as a %s", async (method, effect) => {
    const { gateway, sent } = gatewayWith([step]);
    const error = await failureOf(gateway.request({ method, path: "/reports/today" }));
    expect(sent).toHaveLength(times[effect]);
    expect(error).toMatchObject({ code, outcome });
  });

  test("a path of the table takes its row's effect through gateway.request too", async () => {
    for (const { method, path, body, effect } of ROWS) {
      const { gateway, sent } = gatewayWith([step]);
      await failureOf(gateway.request({ method, path: path(IDS), body: body?.(IDS) }));
      expect(sent).toHaveLength(times[effect]);
    }
  });
});

describe("a failure that passes", () => {
  const passing = FAULTS.filter(({ times }) => times !== ONCE);

  test.each(passing)(
    "is outlived by whatever may be sent again: $fault",
    async ({ step, times }) => {
      for (const row of ROWS.filter(({ effect }) => times[effect] === 3)) {
        const { gateway, sent } = gatewayWith([step, step, json(minimalBody(row))]);
        const answered = row.call(gateway, IDS);
        await vi.advanceTimersByTimeAsync(60_000);
        await answered;
        expect(sent).toHaveLength(3);
      }
    },
  );

  test.each([0, 1, 2, 5])(
    "is met %i times more at most, as maxRetries says",
    async (maxRetries) => {
      const own = gatewayWith([connectionRefused], { maxRetries });
      await failureOf(own.gateway.merchant.get());
      expect(own.sent).toHaveLength(maxRetries + 1);

      const perCall = gatewayWith([connectionRefused]);
      await failureOf(perCall.gateway.merchant.get({ maxRetries }));
      expect(perCall.sent).toHaveLength(maxRetries + 1);
    },
  );
});

test("a wait that a busy machine drags past the deadline is followed by no attempt", async () => {
  let slept = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + slept);
  const { gateway, sent } = gatewayWith([status(503)], {
    hooks: {
      retry: () => {
        slept = 60_000;
      },
    },
  });
  const error = await failureOf(gateway.merchant.get({ totalTimeoutMs: 20_000 }));
  expect(error).toMatchObject({ code: "server", outcome: "unknown" });
  expect(sent).toHaveLength(1);
  vi.restoreAllMocks();
});

const rejected = (retryAfterMs?: number) => ({
  outcome: "rejected" as const,
  retryAfterMs,
  toError: () => expect.unreachable(),
});

test.each([
  [1, 250],
  [2, 500],
  [3, 1_000],
  [4, 2_000],
  [5, 4_000],
  [6, 8_000],
  [7, 8_000],
  [2_000, 8_000],
])("after attempt %i the wait is below %i ms, and may be any part of that", (attempt, most) => {
  expect(retryDelayMs(rejected(), attempt, () => 0)).toBe(0);
  expect(retryDelayMs(rejected(), attempt, () => 0.5)).toBe(most / 2);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      const delay = retryDelayMs(rejected(), attempt, () => random);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThan(most);
    }),
  );
});

test("what the service asks for comes before any backoff, with no jitter", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 50 }), (asked, attempt) => {
      expect(retryDelayMs(rejected(asked), attempt)).toBe(asked);
    }),
  );
});
