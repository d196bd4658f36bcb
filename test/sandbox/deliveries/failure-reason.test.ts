import { describe, expect, test } from "vitest";
import {
  type FailedAttempt,
  findFailureReason,
} from "../../../src/sandbox/deliveries/failure-reason.ts";

const failedAttempt = (fields: Partial<FailedAttempt>): FailedAttempt => ({
  status: 0,
  error: "",
  chaos: [],
  response: "",
  url: "http://127.0.0.1:3000/hook",
  ageMs: 0,
  sinceEventMs: 0,
  clock: "real",
  ...fields,
});

describe("the likely reason of a failed attempt", () => {
  test.each<[string, Partial<FailedAttempt>]>([
    ["Unreachable: nothing listens at 127.0.0.1:3000", { error: "fetch failed: ECONNREFUSED" }],
    ["Unreachable: the host 127.0.0.1:3000 does not exist", { error: "fetch failed: ENOTFOUND" }],
    ["Unreachable: 127.0.0.1:3000 has a port that fetch never calls", { error: "bad port" }],
    ["Unreachable: TLS failed", { error: "fetch failed: DEPTH_ZERO_SELF_SIGNED_CERT" }],
    ["Unreachable: TLS failed", { error: "fetch failed: ERR_SSL_WRONG_VERSION_NUMBER" }],
    ["Too slow: no response in time", { error: "no response within 5000 ms" }],
    [
      "The receiver closed the connection without a response",
      { error: "fetch failed: UND_ERR_SOCKET" },
    ],
    [
      "The receiver closed the connection without a response",
      { error: "fetch failed: ECONNRESET" },
    ],
    ["Unreachable", { error: "something new" }],
    ["Wrong secret, most likely", { status: 401 }],
    ["Wrong secret, most likely", { status: 403, response: "invalid signature" }],
    ["Wrong secret, most likely", { status: 401, response: "signature mismatch" }],
    ["The clock: too old for the receiver", { status: 401, response: "timestamp out of range" }],
    ["The clock: too old for the receiver", { status: 400, response: "Event is too old" }],
    ["The body was parsed before it was verified", { status: 500, response: "body not raw" }],
    [
      "The body was parsed before it was verified",
      { status: 401, response: "Was it re-serialised?" },
    ],
    ["The signature did not reach the receiver", { status: 401, response: "signature missing" }],
    ["The signature did not reach the receiver", { status: 400, response: "no signature given" }],
    ["The receiver returned 204, not 200", { status: 204 }],
    ["The receiver returned 308, a redirect", { status: 308 }],
    ["Not 200: nothing at this path", { status: 404 }],
    ["Not 200: the route does not accept POST", { status: 405 }],
    ["Not 200: the receiver does not accept this body", { status: 415 }],
    ["Not 200: the receiver is busy", { status: 503 }],
    ["Not 200: the receiver failed with 500", { status: 500, response: "<html>oops" }],
    ["Not 200: the receiver returned 418", { status: 418 }],
    ["Chaos: lost on the way", { error: "lost on its way, by chaos", chaos: ["drop"] }],
    ["Chaos: a wrong signature", { status: 401, chaos: ["badSignature"] }],
    ["Chaos: a timestamp one day old", { status: 401, chaos: ["duplicate", "staleTimestamp"] }],
    ["Chaos: a new secret signs", { status: 401, chaos: ["rotateSecret"] }],
    ["Not 200: the receiver failed with 500", { status: 500, chaos: ["duplicate", "delay"] }],
  ])("is %j for %j", (title, fields) => {
    const reason = findFailureReason(failedAttempt(fields));
    expect(reason.title).toBe(title);
    // A reason says what is wrong and what to do.
    expect(reason.advice).toMatch(/\w+.*\.$/);
  });

  test("distinguishes a virtual clock from a late retry", () => {
    const stale = { status: 401, response: "timestamp out of range" };
    const day = 86_400_000;
    const virtual = findFailureReason(
      failedAttempt({ ...stale, clock: "virtual", ageMs: 300 * day }),
    );
    expect(virtual.advice).toContain("300 days behind");
    const ahead = findFailureReason(
      failedAttempt({ ...stale, clock: "virtual", ageMs: -300 * day }),
    );
    expect(ahead.advice).toContain("300 days ahead of");
    const retry = findFailureReason(
      failedAttempt({ ...stale, ageMs: 370_000, sinceEventMs: 370_000 }),
    );
    expect(retry.advice).toContain("6 min old");
    expect(findFailureReason(failedAttempt(stale)).advice).toContain("Compare its clock");
  });

  test("names the path that a receiver does not have, for any address", () => {
    expect(findFailureReason(failedAttempt({ status: 404 })).advice).toContain("/hook");
    expect(findFailureReason(failedAttempt({ status: 404, url: "nonsense" })).advice).toContain(
      "nonsense",
    );
  });
});
