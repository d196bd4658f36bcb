import { createWebhookReceiver, memoryInbox, signWebhook } from "malipo/webhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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

test("an onError of the user's gets every rejection", async () => {
  const onError = vi.fn();
  const receiver = createWebhookReceiver({ secret: SECRET, onError });
  for (let times = 0; times < 3; times++) await post(receiver);
  expect(onError).toHaveBeenCalledTimes(3);
  expect(log).not.toHaveBeenCalled();
});
