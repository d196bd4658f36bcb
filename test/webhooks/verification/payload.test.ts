import { isKnownEvent, verifyWebhook, type WebhookEvent } from "malipo/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EVENT_KINDS } from "../../../src/contract/events.ts";
import { hmac, SECRET, utf8 } from "../../suites/webhook-sample.ts";

/** Verifies a body that was signed with the right secret. */
function verified(body: string, maxAgeSeconds?: number): WebhookEvent {
  return verifyWebhook({ body, signature: hmac(utf8(body)), secret: SECRET, maxAgeSeconds });
}

const NOW = "2026-01-31T06:30:00.000Z";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(NOW) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("maxAgeSeconds", () => {
  const at = (timestamp: unknown) => JSON.stringify({ event: "a", timestamp, data: {} });

  test.each([
    ["this very moment", NOW],
    ["the same moment, another offset", "2026-01-31T09:30:00+03:00"],
    ["an offset of half an hour, to the west", "2026-01-31T01:00:00-05:30"],
    ["an offset of nothing", "2026-01-31T06:30:00+00:00"],
    ["no seconds", "2026-01-31T06:30Z"],
    ["microseconds", "2026-01-31T06:29:59.123456Z"],
    ["exactly as old as allowed", "2026-01-31T06:29:00Z"],
    ["exactly as far ahead as allowed", "2026-01-31T06:35:00Z"],
  ])("accepts a timestamp: %s", (_, timestamp) => {
    expect(verified(at(timestamp), 60)).toStrictEqual({ event: "a", timestamp, data: {} });
  });

  test.each([
    ["a second too old", "2026-01-31T06:28:59Z"],
    ["a millisecond too old", "2026-01-31T06:28:59.999Z"],
    ["a day too old", "2026-01-30T06:30:00Z"],
    ["the offset decides, not the digits", "2026-01-31T06:30:00+03:00"],
    ["a millisecond too far ahead", "2026-01-31T06:35:00.001Z"],
    ["a year ahead", "2027-01-31T06:30:00Z"],
    ["the epoch, as an unset clock writes it", "1970-01-01T00:00:00Z"],
    ["before the epoch", "1969-12-31T23:59:59Z"],
  ])("rejects a timestamp as out of range: %s", (_, timestamp) => {
    expect(() => verified(at(timestamp), 60)).toThrow(
      expect.objectContaining({ code: "timestamp_out_of_range", status: 401 }),
    );
  });

  test.each([
    ["missing", undefined],
    ["null", null],
    ["a number", Date.parse(NOW)],
    ["empty", ""],
    ["no offset", "2026-01-31T06:30:00"],
    ["only a date", "2026-01-31"],
    ["a date with an offset", "2026-01-31Z"],
    ["300,000 letters, which must not take long", `2026-${"T".repeat(300_000)}`],
    ["a fraction of 300,000 digits, and no offset", `2026-01-31T06:30:00.${"0".repeat(300_000)}`],
    ["words between the date and the offset", "2026-01-31 of January T06:30:00Z"],
    ["the thirteenth month", "2026-13-01T06:30:00Z"],
    ["the 25th hour", "2026-01-31T25:30:00Z"],
    ["an offset without a colon", "2026-01-31T06:30:00+0300"],
    ["a name for an offset", "2026-01-31T06:30:00 EAT"],
    ["a space for the T", "2026-01-31 06:30:00Z"],
    ["seconds since the epoch", "1769841000"],
    ["digits with letters behind", "123abc"],
    ["an HTTP date", "Sat, 31 Jan 2026 06:30:00 GMT"],
    ["words", "now"],
    ["a list that holds one", [NOW]],
    ["an object", { toString: NOW }],
  ])("rejects a payload whose timestamp cannot be read: %s", (_, timestamp) => {
    expect(() => verified(at(timestamp), 60)).toThrow(
      expect.objectContaining({ code: "payload_invalid", status: 400 }),
    );
  });

  test("an event ages", () => {
    const body = at(NOW);
    vi.setSystemTime("2026-01-31T06:31:00Z");
    expect(verified(body, 60).event).toBe("a");
    vi.setSystemTime("2026-01-31T06:31:00.001Z");
    expect(() => verified(body, 60)).toThrow("The event is 60 s old; maxAgeSeconds is 60.");
    expect(verified(body, 61).event).toBe("a");
  });

  test.each([undefined, null, "never", "1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])(
    "without a limit, the timestamp is ignored: %s",
    (timestamp) => {
      expect(verified(at(timestamp)).event).toBe("a");
    },
  );

  test("without a limit, a clock at the epoch rejects nothing", () => {
    vi.setSystemTime(0);
    expect(verified(at(NOW)).event).toBe("a");
    expect(verified(at("1970-01-01T00:00:00Z"), 60).event).toBe("a");
  });

  test.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY])("%d is a configuration error", (age) => {
    expect(() => verified(at(NOW), age)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: expect.stringContaining("maxAgeSeconds"),
      }),
    );
  });

  test("a wrong signature is reported before an old timestamp", () => {
    const call = () =>
      verifyWebhook({
        body: at("2000-01-01T00:00:00Z"),
        signature: "0".repeat(64),
        secret: SECRET,
        maxAgeSeconds: 60,
      });
    expect(call).toThrow(expect.objectContaining({ code: "signature_mismatch" }));
  });
});

describe("what is in an event", () => {
  test("kinds, fields and values that are not documented pass through untouched", () => {
    const event = {
      event: "loan.disbursed",
      timestamp: 7,
      data: { reference: 12, amount: 1e3, status: "reversed", nested: [{ deep: null }] },
      id: "evt_1",
      livemode: true,
    };
    expect(verified(JSON.stringify(event))).toStrictEqual(event);
    expect(isKnownEvent(verified(JSON.stringify(event)))).toBe(false);
  });

  test.each(EVENT_KINDS)("%s is known, whatever its data lacks", (kind) => {
    const event = verified(JSON.stringify({ event: kind, data: {} }));
    expect(event).toStrictEqual({ event: kind, data: {} });
    expect(isKnownEvent(event)).toBe(true);
    expect(EVENT_KINDS.filter((one) => isKnownEvent(event, one))).toStrictEqual([kind]);
  });

  test.each([
    "",
    "constructor",
    "__proto__",
    "toString",
    "PAYMENT.COMPLETED",
    "payment.completed ",
  ])("a kind that only looks known is unknown: %j", (kind) => {
    const event = verified(JSON.stringify({ event: kind, data: {} }));
    expect(event.event).toBe(kind);
    expect(isKnownEvent(event)).toBe(false);
    expect(EVENT_KINDS.some((one) => isKnownEvent(event, one))).toBe(false);
  });

  test("keys of prototypes are fields like others and pollute nothing", () => {
    const fields = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const event = verified(`{"event":"a","__proto__":{"polluted":1},"data":${fields}}`);
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
    expect(Object.keys(event.data)).toStrictEqual(["__proto__", "constructor"]);
    expect(Reflect.has({}, "polluted")).toBe(false);
  });

  test("reads 100,000 nested lists to the innermost", () => {
    const depth = 100_000;
    const event = verified(
      `{"event":"a","data":{"list":${"[".repeat(depth)}${"]".repeat(depth)}}}`,
    );
    let depthFound = 0;
    let list: unknown = Reflect.get(event.data, "list");
    for (; Array.isArray(list); list = list[0]) depthFound++;
    expect(depthFound).toBe(depth);
  });
});
