import { describe, expect, test } from "vitest";
import { type Refused, reasonOf } from "../../../src/sandbox/page/reasons.ts";

const refused = (of: Partial<Refused>): Refused => ({
  answer: "",
  url: "http://127.0.0.1:3000/hook",
  ageMs: 0,
  heldMs: 0,
  clock: "real",
  ...of,
});

describe("the reason of a refusal", () => {
  test.each<[string, Partial<Refused>]>([
    ["Unreachable: nothing listens at 127.0.0.1:3000", { error: "fetch failed: ECONNREFUSED" }],
    ["Unreachable: no such host as 127.0.0.1:3000", { error: "fetch failed: ENOTFOUND" }],
    ["Unreachable: 127.0.0.1:3000 has a port that fetch never calls", { error: "bad port" }],
    ["Unreachable: TLS failed", { error: "fetch failed: DEPTH_ZERO_SELF_SIGNED_CERT" }],
    ["Unreachable: TLS failed", { error: "fetch failed: ERR_SSL_WRONG_VERSION_NUMBER" }],
    ["Too slow: no answer in time", { error: "no response within 5000 ms" }],
    ["The receiver hung up without an answer", { error: "fetch failed: UND_ERR_SOCKET" }],
    ["The receiver hung up without an answer", { error: "fetch failed: ECONNRESET" }],
    ["Unreachable", { error: "something new" }],
    ["Wrong secret, most likely", { status: 401 }],
    ["Wrong secret, most likely", { status: 403, answer: "invalid signature" }],
    ["Wrong secret, most likely", { status: 401, answer: "signature mismatch" }],
    ["The clock: too old for the receiver", { status: 401, answer: "timestamp out of range" }],
    ["The clock: too old for the receiver", { status: 400, answer: "Event is too old" }],
    ["The body was parsed before it was verified", { status: 500, answer: "body not raw" }],
    [
      "The body was parsed before it was verified",
      { status: 401, answer: "Was it re-serialised?" },
    ],
    ["The signature did not reach the receiver", { status: 401, answer: "signature missing" }],
    ["The signature did not reach the receiver", { status: 400, answer: "no signature given" }],
    ["Answered 204, not 200", { status: 204 }],
    ["Answered 308: a redirect", { status: 308 }],
    ["Not 200: nothing at this path", { status: 404 }],
    ["Not 200: the route takes no POST", { status: 405 }],
    ["Not 200: the receiver does not take this body", { status: 415 }],
    ["Not 200: the receiver is busy", { status: 503 }],
    ["Not 200: the receiver failed with 500", { status: 500, answer: "<html>oops" }],
    ["Not 200: answered 418", { status: 418 }],
    ["Chaos: lost on its way", { error: "dropped by chaos", chaos: ["drop"] }],
    ["Chaos: a wrong signature", { status: 401, chaos: ["badSignature"] }],
    ["Chaos: a timestamp a day old", { status: 401, chaos: ["duplicate", "staleTimestamp"] }],
    ["Chaos: a new secret signs", { status: 401, chaos: ["rotateSecret"] }],
    ["Not 200: the receiver failed with 500", { status: 500, chaos: ["duplicate", "delay"] }],
  ])("is %j for %j", (title, of) => {
    const reason = reasonOf(refused(of));
    expect(reason.title).toBe(title);
    // What is wrong is half of it; the other half is what to do.
    expect(reason.advice).toMatch(/\w+.*\.$/);
  });

  test("tells a virtual clock from a slow retry", () => {
    const stale = { status: 401, answer: "timestamp out of range" };
    const day = 86_400_000;
    const virtual = reasonOf(refused({ ...stale, clock: "virtual", ageMs: 300 * day }));
    expect(virtual.advice).toContain("300 days behind");
    const ahead = reasonOf(refused({ ...stale, clock: "virtual", ageMs: -300 * day }));
    expect(ahead.advice).toContain("300 days ahead of");
    const retry = reasonOf(refused({ ...stale, ageMs: 370_000, heldMs: 370_000 }));
    expect(retry.advice).toContain("6 min old");
    expect(reasonOf(refused(stale)).advice).toContain("Compare its clock");
  });

  test("names the path that a receiver does not have, and takes an address that is none", () => {
    expect(reasonOf(refused({ status: 404 })).advice).toContain("/hook");
    expect(reasonOf(refused({ status: 404, url: "nonsense" })).advice).toContain("nonsense");
  });
});
