import { ConnectionError } from "malipo";
import { createWebhookReceiver, signWebhook } from "malipo/webhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EngineAwayError } from "../../../src/storage/engine-away.ts";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { createErrorLog } from "../../../src/webhooks/receiver/error-log.ts";
import { BODY, SECRET } from "../../suites/webhook-sample.ts";

const log = vi.fn();

beforeEach(() => {
  log.mockReset();
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(log);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const post = async (receiver: ReturnType<typeof createWebhookReceiver>, headers = {}) =>
  (await receiver.handle({ method: "POST", headers, body: BODY })).status;

const MISSING = "signature_missing: The request has no X-Service-Signature header.";

test("without an onError, a rejected request is one line in the console, without a stack", async () => {
  expect(await post(createWebhookReceiver({ secret: SECRET }))).toBe(401);
  expect(log.mock.calls).toEqual([["malipo webhooks:", MISSING]]);
});

test("repeated rejections are one line a minute, with their number", async () => {
  const receiver = createWebhookReceiver({ secret: SECRET });
  for (let times = 0; times < 1_000; times++) await post(receiver);
  await post(receiver, { "x-service-signature": "0".repeat(64) });
  expect(log).toHaveBeenCalledTimes(2);
  log.mockReset();
  vi.advanceTimersByTime(60_000);
  expect(log.mock.calls).toEqual([
    ["malipo webhooks:", `${MISSING} (999 more in the last minute)`],
  ]);
  vi.advanceTimersByTime(600_000);
  expect(log).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
  await post(receiver);
  expect(log).toHaveBeenLastCalledWith("malipo webhooks:", MISSING);
});

test("an inbox that fails for every delivery is reported once a minute, with its error", async () => {
  const down = new Error("disk I/O error");
  const accept = () => Promise.reject<never>(down);
  const inbox = { ...memoryInbox(), accept };
  const receiver = createWebhookReceiver({ secret: SECRET, inbox });
  const headers = { "x-service-signature": signWebhook(BODY, SECRET) };
  for (let times = 0; times < 3; times++) expect(await post(receiver, headers)).toBe(503);
  vi.advanceTimersByTime(60_000);
  expect(log.mock.calls).toEqual([
    ["malipo webhooks:", down],
    ["malipo webhooks:", "Error: disk I/O error (2 more in the last minute)"],
  ]);
});

const failure = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);

test("an engine that is away is one line a minute, without a stack, however it fails", async () => {
  const failures = [
    failure("connect ECONNREFUSED 127.0.0.1:6379", { code: "ECONNREFUSED" }),
    new AggregateError([failure("connect ECONNREFUSED ::1:5432", { code: "ECONNREFUSED" })], ""),
    failure("no reply", { cause: failure("read ECONNRESET", { code: "ECONNRESET" }) }),
    failure("getaddrinfo EAI_AGAIN redis", { code: "EAI_AGAIN" }),
    failure("Reached the max retries per request limit", { name: "MaxRetriesPerRequestError" }),
    failure("Connection is closed."),
    failure("Connection terminated unexpectedly"),
    failure("terminating connection due to administrator command", { code: "57P01" }),
    new EngineAwayError("Redis does not reply."),
  ];
  let times = 0;
  const accept = () => Promise.reject<never>(failures[times++ % failures.length]);
  const receiver = createWebhookReceiver({ secret: SECRET, inbox: { ...memoryInbox(), accept } });
  const headers = { "x-service-signature": signWebhook(BODY, SECRET) };
  for (const _ of failures) expect(await post(receiver, headers)).toBe(503);
  const line =
    "The inbox or another store cannot be reached, and is tried again: Error: connect ECONNREFUSED 127.0.0.1:6379";
  expect(log.mock.calls).toEqual([["malipo webhooks:", line]]);
  vi.advanceTimersByTime(60_000);
  expect(log.mock.calls.slice(1)).toEqual([
    ["malipo webhooks:", `${line} (8 more in the last minute)`],
  ]);
});

test("an event that fails in the same way at each retry is one line a minute, and one at the end", () => {
  const report = createErrorLog();
  const event = { event: "payment.completed", idempotencyKey: "k-1" };
  const unknown = new Error("An earlier attempt with this key may have happened.");
  for (let attempt = 1; attempt <= 11; attempt++) {
    report(unknown, { ...event, attempt, willRetry: true });
  }
  expect(log.mock.calls).toEqual([
    ["malipo webhooks:", unknown, { ...event, attempt: 1, willRetry: true }],
  ]);
  report(unknown, { ...event, idempotencyKey: "k-2", attempt: 1, willRetry: true });
  report(unknown, { ...event, attempt: 12, willRetry: false });
  expect(log.mock.calls.slice(1).map(([, , attempt]) => attempt)).toEqual([
    { ...event, idempotencyKey: "k-2", attempt: 1, willRetry: true },
    { ...event, attempt: 12, willRetry: false },
  ]);
  log.mockReset();
  vi.advanceTimersByTime(60_000);
  expect(log.mock.calls).toEqual([
    ["malipo webhooks:", expect.stringMatching(/k-1.* \(10 more in the last minute\)$/)],
  ]);
});

test("an onError of the user's gets every rejection", async () => {
  const onError = vi.fn();
  const receiver = createWebhookReceiver({ secret: SECRET, onError });
  for (let times = 0; times < 3; times++) await post(receiver);
  expect(onError).toHaveBeenCalledTimes(3);
  expect(log).not.toHaveBeenCalled();
});

test("an onError of the user's gets one error a minute while the engine is away, and all others", async () => {
  const away = failure("connect ECONNREFUSED 127.0.0.1:6379", { code: "ECONNREFUSED" });
  const full = failure("disk I/O error");
  let error = away;
  const inbox = { ...memoryInbox(), accept: () => Promise.reject<never>(error) };
  const onError = vi.fn();
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, onError });
  const headers = { "x-service-signature": signWebhook(BODY, SECRET) };
  for (let times = 0; times < 3; times++) expect(await post(receiver, headers)).toBe(503);
  expect(onError.mock.calls).toEqual([[away]]);
  error = full;
  for (let times = 0; times < 2; times++) await post(receiver, headers);
  expect(onError.mock.calls.slice(1)).toEqual([[full], [full]]);
  error = away;
  vi.advanceTimersByTime(60_000);
  for (let times = 0; times < 3; times++) await post(receiver, headers);
  expect(onError.mock.calls.slice(3)).toEqual([[away]]);
  expect(log).not.toHaveBeenCalled();
});

test("at most 100 different lines a minute are written, each cut, and the rest is counted", async () => {
  const onError = createErrorLog();
  for (let at = 0; at < 5_000; at++) onError(new Error(`${at} ${"x".repeat(100_000)}`));
  expect(log).toHaveBeenCalledTimes(100);
  expect(log.mock.calls.flat().every((text) => String(text).length < 1_100)).toBe(true);
  log.mockReset();
  vi.advanceTimersByTime(60_000);
  expect(log.mock.calls).toEqual([
    ["malipo webhooks:", "4900 more errors in the last minute, which differ from the 100 above."],
  ]);
  vi.advanceTimersByTime(600_000);
  expect(vi.getTimerCount()).toBe(0);
});

const attemptOf = (idempotencyKey: string) => ({
  event: "payment.completed",
  idempotencyKey,
  attempt: 1,
  willRetry: true,
});

test("failed attempts do not hide a failure of the inbox", () => {
  const onError = createErrorLog();
  const failed = new Error("no stock");
  for (let at = 1; at <= 200; at++) onError(failed, attemptOf(`${at}`));
  const down = new Error("disk I/O error");
  onError(down);
  expect(log).toHaveBeenCalledTimes(101);
  expect(log.mock.calls[0]).toEqual(["malipo webhooks:", failed, attemptOf("1")]);
  expect(log).toHaveBeenLastCalledWith("malipo webhooks:", down);
});

test("a service that cannot be reached is not called a store", () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const error = new ConnectionError("No response.", "unknown", { cause });
  createErrorLog("malipo checkout")(error);
  expect(log.mock.calls).toEqual([["malipo checkout:", error]]);
});
