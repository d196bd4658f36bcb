import fs from "node:fs";
import type { GatewayOptions } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attemptLog as webLog } from "../../../src/client/platform/web-platform.ts";
import { BASE_URL, gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { connectionRefused, json, neverResponds, type Step, status } from "../support/responses.ts";

const PARAMS = { amount: 100, phone: "0712345678" };
const ok = json({ data: { reference: "PAY-1", status: "pending" } });
const again = (headers = {}) => status(503, { "retry-after": "0", ...headers });

const written = vi.fn<(line: string) => void>();
const writeTo = (write: (line: string) => void) =>
  vi.spyOn(fs, "writeSync").mockImplementation((file, text) => {
    expect(file).toBe(2);
    write(String(text).replace(/\n$/, ""));
    return 0;
  });
beforeEach(() => {
  written.mockReset();
  writeTo(written);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z malipo /;

/** What was written, without the parts that change from run to run. */
const lines = () =>
  written.mock.calls.map(([line]) => {
    expect(line).toMatch(TIME);
    return line.replace(TIME, "").replace(/\b(ms|retry_in_ms)=\d+/g, "$1=0");
  });

function logging(level: string, steps: readonly Step[], options?: GatewayOptions) {
  vi.stubEnv("MALIPO_LOG", level);
  return gatewayWith(steps, options).gateway;
}

const INITIATE = `POST ${BASE_URL}/mobile-money/payment/initiate`;
const MERCHANT = `GET ${BASE_URL}/merchant`;

describe("MALIPO_LOG=debug", () => {
  test("writes one line for each attempt: what was sent, how it ended, and what follows", async () => {
    const id = { "x-request-id": "req_1" };
    const { merchant } = logging("debug", [
      again(id),
      connectionRefused,
      json({}, { headers: id }),
    ]);
    await merchant.get();
    expect(lines()).toEqual([
      `${MERCHANT} attempt=1 ms=0 status=503 request_id=req_1 code=server outcome=unknown retry_in_ms=0`,
      `${MERCHANT} attempt=2 ms=0 code=connection cause=ECONNREFUSED outcome=unknown retry_in_ms=0`,
      `${MERCHANT} attempt=3 ms=0 status=200 request_id=req_1`,
    ]);
  });

  test.each([
    ["a rejection", status(422), {}, "status=422 code=invalid_request outcome=rejected"],
    ["an unknown outcome", status(500), {}, "status=500 code=server outcome=unknown"],
    [
      "the last retry",
      connectionRefused,
      { maxRetries: 0 },
      "code=connection cause=ECONNREFUSED outcome=not_sent",
    ],
    ["a timeout", neverResponds, { timeoutMs: 5 }, "code=timeout outcome=unknown"],
  ])("says that a call is not retried: %s", async (_, step, options, end) => {
    await rejection(logging("debug", [step], options).mobileMoney.initiate(PARAMS));
    expect(lines()).toEqual([`${INITIATE} attempt=1 ms=0 ${end} retry=no`]);
  });

  test("says that the caller aborted", async () => {
    const controller = new AbortController();
    const { merchant } = logging("debug", [neverResponds]);
    const pending = rejection(merchant.get({ signal: controller.signal }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await pending;
    expect(lines()).toEqual([`${MERCHANT} attempt=1 ms=0 aborted`]);
  });

  test("shows neither key, nor phone, nor body", async () => {
    const echo = { "x-request-id": `for-${KEYS.secret}` };
    const gateway = logging("debug", [status(400, echo)]);
    const query = { phone: "+254 712 345 678", key: KEYS.secret };
    await rejection(gateway.payments.list(query));
    await rejection(gateway.mobileMoney.initiate({ ...PARAMS, description: "pasta" }));
    const text = lines().join("\n");
    expect(text).toContain("request_id=for-[redacted]");
    expect(text).toContain("2547*****678");
    for (const secret of [KEYS.secret, "345678", "345+678", "pasta", "no: 400"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("fails no call if it cannot be written", async () => {
    writeTo(() => {
      throw new Error("EPIPE");
    });
    const { merchant } = logging("debug", [again(), ok]);
    await expect(merchant.get()).resolves.toBeDefined();
  });
});

describe("MALIPO_LOG=warn", () => {
  test("writes only the attempts that failed", async () => {
    const { merchant } = logging("warn", [again(), ok]);
    await merchant.get();
    expect(lines()).toEqual([
      `${MERCHANT} attempt=1 ms=0 status=503 code=server outcome=unknown retry_in_ms=0`,
    ]);
  });
});

test.each(["", "off"])("MALIPO_LOG=%s writes nothing", async (level) => {
  await logging(level, [again(), ok]).merchant.get();
  expect(written).not.toHaveBeenCalled();
});

test("another level is named once, with those that there are", async () => {
  await logging("verbose", [again(), ok]).merchant.get();
  expect(written.mock.calls).toEqual([
    ['malipo: MALIPO_LOG can be debug, warn or off; got "verbose". Nothing is logged.'],
  ]);
});

test("a key that was set as the level is not shown", async () => {
  await logging("sk_live_otherSecret", [ok]).merchant.get();
  expect(written.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^malipo: MALIPO_LOG can be debug, warn or off; got \(its name is not shown/,
      ),
    ],
  ]);
});

test("a gateway reads the level once, when it is made", async () => {
  const gateway = logging("off", [ok]);
  vi.stubEnv("MALIPO_LOG", "debug");
  await gateway.merchant.get();
  expect(written).not.toHaveBeenCalled();
});

test("a browser writes nothing, even if a page has an environment", async () => {
  vi.stubGlobal("process", { env: { MALIPO_LOG: "debug" } });
  vi.stubGlobal("document", {});
  await gatewayWith([ok], { apiKey: KEYS.public }).gateway.merchant.get();
  vi.unstubAllGlobals();
  expect(written).not.toHaveBeenCalled();
});

test("without Node.js there is no log", () => {
  vi.stubEnv("MALIPO_LOG", "debug");
  expect(webLog()).toBeUndefined();
});

test("Deno's user is not asked for the variable", () => {
  const querySync = vi.fn(() => ({ state: "prompt" }));
  vi.stubGlobal("Deno", { permissions: { querySync } });
  logging("debug", [ok]);
  vi.unstubAllGlobals();
  expect(querySync).toHaveBeenCalledWith({ name: "env", variable: "MALIPO_LOG" });
});
