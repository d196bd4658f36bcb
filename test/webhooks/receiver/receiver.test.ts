import type { NewDelivery } from "malipo/types";
import {
  ConfigurationError,
  createWebhookReceiver,
  type Inbox,
  signWebhook,
  type WebhookEvent,
  type WebhookReceiverOptions,
} from "malipo/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { NO_SECRETS } from "../../suites/webhook-cases.ts";
import { BODY, EVENT, hmac, SECRET, utf8 } from "../../suites/webhook-sample.ts";

const options = (more: object) => ({ secret: SECRET, ...more }) as WebhookReceiverOptions;

/** A memory inbox that records what it accepted. */
function watched() {
  const taken: NewDelivery[] = [];
  const inbox = memoryInbox();
  const accept: Inbox["accept"] = (delivery) => {
    taken.push(delivery);
    return inbox.accept(delivery);
  };
  return { taken, inbox: { ...inbox, accept } };
}

const signed = (body: string | Uint8Array) => ({
  method: "POST",
  headers: { "x-service-signature": signWebhook(body, SECRET) },
  body,
});

afterEach(() => void vi.restoreAllMocks());

describe("createWebhookReceiver", () => {
  test.each([
    ["an API key", "sk_live_0123456789", /is an API key\. Pass the signing secret/],
    ["a key of the sandbox", "sb_0123456789", /is an API key/],
    ["quotes", '"whsec_1"', /is in quotes\. Remove them/],
    ["single quotes", "'whsec_1'", /is in quotes/],
    ["a line break", "whsec_1\n", /has outer white space\. Remove the line break/],
    ["a character that cannot be seen", "whsec\u200b_1", /has a character that cannot be seen/],
    ["a line break inside", "whsec\n_1", /has a character that cannot be seen/],
  ])("rejects a secret that was copied with %s", (_, secret, says) => {
    for (const given of [secret, ["whsec_2", secret]]) {
      expect(() => createWebhookReceiver({ secret: given })).toThrow(says);
      expect(() => createWebhookReceiver({ secret: given })).not.toThrow(/0123456789|whsec/);
    }
    expect(() => createWebhookReceiver({ secret: new TextEncoder().encode(secret) })).not.toThrow();
  });

  test.each(NO_SECRETS)("rejects a value that is not a secret: %s", (_, secret) => {
    expect(() => createWebhookReceiver(options({ secret }))).toThrow(ConfigurationError);
  });

  test.each([
    [
      { retries: 3 },
      /no option "retries"\. Its options are: secret, merchant, .*, inbox, maxBodyBytes, .*, onDoublePayment, hooks, observer\.$/,
    ],
    [{ maxBodyBytes: 0 }, /`maxBodyBytes` must be .*; got 0/],
    [{ maxBodyBytes: 1.5 }, /`maxBodyBytes` must be .*; got 1.5/],
    [{ maxBodyBytes: Number.POSITIVE_INFINITY }, /`maxBodyBytes` must be .*; got Infinity/],
    [{ maxBodyBytes: "1mb" }, /`maxBodyBytes` must be .*; got a string/],
    [{ concurrency: -1 }, /`concurrency` must be .*; got -1/],
    [{ handlerTimeoutMs: 2 ** 31 }, /`handlerTimeoutMs` must be .*; got 2147483648/],
    [{ handlerTimeoutMs: Number.NaN }, /`handlerTimeoutMs` must be .*; got NaN/],
    [{ maxAgeSeconds: 0 }, /`maxAgeSeconds` must be .*; got 0/],
    [{ maxAgeSeconds: "300" }, /`maxAgeSeconds` must be .*; got a string/],
    [{ onError: "console" }, /`onError` must be a function; got a string/],
    [{ identify: "reference" }, /`identify` must be a function; got a string/],
    [{ onConflict: {} }, /`onConflict` must be a function; got an object/],
    [{ wakeups: {} }, /`wakeups` must be wake-ups: .*; got an object/],
    [{ inbox: "inbox.db" }, /`inbox` must be an inbox: .*; got a string/],
    [{ inbox: null }, /`inbox` must be an inbox: .*; got null/],
  ])("rejects the option %j", (more, message) => {
    const make = () => createWebhookReceiver(options(more));
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test("reads MALIPO_WEBHOOK_SECRET if no secret is set", async () => {
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
    const receiver = createWebhookReceiver();
    expect((await receiver.handle(signed(BODY))).status).toBe(200);
    // A variable that is not set must not bring in another secret.
    expect(() => createWebhookReceiver({ secret: undefined } as never)).toThrow(
      /^secret must be .*; got undefined/,
    );
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", "");
    for (const none of [undefined, null, {}]) {
      expect(() => createWebhookReceiver(none as never)).toThrow(/MALIPO_WEBHOOK_SECRET/);
    }
    vi.unstubAllEnvs();
  });

  test("has defaults for undefined options, and accepts a mebibyte", async () => {
    const more = { inbox: undefined, maxBodyBytes: undefined, onError: undefined };
    const receiver = createWebhookReceiver(options(more));
    const statusOf = async (bytes: number) =>
      (await receiver.handle(signed(new Uint8Array(bytes)))).status;
    expect([await statusOf(1_048_576), await statusOf(1_048_577)]).toEqual([400, 413]);
    expect((await receiver.handle(signed(BODY))).status).toBe(200);
  });
});

describe("handle", () => {
  test("passes the inbox the bytes, the identity of the event, and the secret that signed", async () => {
    const { inbox, taken } = watched();
    const receiver = createWebhookReceiver({ secret: ["before", SECRET], inbox });
    const earliest = Date.now();
    await receiver.handle(signed(BODY));
    expect(taken).toEqual([
      {
        key: expect.stringMatching(/^[\da-f]{64}$/),
        digest: expect.stringMatching(/^[\da-f]{64}$/),
        event: EVENT.event,
        raw: BODY,
        secretIndex: 1,
        receivedAt: expect.any(Number),
        signedAt: Date.parse(EVENT.timestamp),
        signature: hmac(BODY),
      },
    ]);
    expect(taken[0]?.receivedAt).toBeGreaterThanOrEqual(earliest);
    expect(taken[0]?.receivedAt).toBeLessThanOrEqual(Date.now());
  });

  test("stores a copy, so that the caller may reuse its buffer", async () => {
    const { inbox, taken } = watched();
    const receiver = createWebhookReceiver({ secret: SECRET, inbox });
    for (const body of [Buffer.from(BODY), new Uint8Array(BODY)]) {
      const reply = receiver.handle(signed(body));
      body.fill(0);
      expect((await reply).status).toBe(200);
    }
    expect(taken.map(({ raw }) => Buffer.from(raw))).toEqual(Array(2).fill(Buffer.from(BODY)));
  });

  test("counts bytes, not characters", async () => {
    const receiver = createWebhookReceiver({ secret: SECRET, maxBodyBytes: 100, onError() {} });
    const text = (length: number) => `{"event":"a","data":{"t":"${"é".repeat(length)}"}}`;
    const length = utf8(text(0)).length;
    const most = Math.floor((100 - length) / 2);
    expect((await receiver.handle(signed(text(most)))).status).toBe(200);
    for (const body of [text(most + 1), "x".repeat(101)]) {
      const { status, body: text } = await receiver.handle(signed(body));
      expect([status, JSON.parse(text).ResultDesc]).toEqual([413, "too large"]);
    }
  });

  test.each([
    ["a parsed object", EVENT],
    ["a parsed object turned into text", "[object Object]"],
    ["undefined", undefined],
    ["null", null],
  ])("returns 500 for a body that is %s, and reports why", async (_, body) => {
    const onError = vi.fn();
    const receiver = createWebhookReceiver({ secret: SECRET, onError });
    const { status } = await receiver.handle({ ...signed(BODY), body: body as string });
    expect(status).toBe(500);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "body_not_raw" }));
  });

  test("notifies the wake-ups of the payment, after the event is stored", async () => {
    const seen: string[] = [];
    const { inbox } = watched();
    const accept: Inbox["accept"] = async (delivery) => {
      await new Promise(setImmediate);
      seen.push("stored");
      return inbox.accept(delivery);
    };
    const wakeups = {
      prefix: "notified ",
      notify(reference: string) {
        seen.push(this.prefix + reference);
      },
    };
    const receiver = createWebhookReceiver({
      secret: SECRET,
      inbox: { ...inbox, accept },
      wakeups,
    });
    await receiver.handle(signed(BODY));
    await receiver.handle(signed('{"event":"a","data":{"reference":7}}'));
    await receiver.handle(signed('{"event":"a","data":{}}'));
    expect(seen).toEqual(["stored", "notified PAY-71", "stored", "notified 7", "stored"]);
  });

  test("tells onError of a conflict without an onConflict, and quotes nothing of it", async () => {
    const onError = vi.fn();
    const receiver = createWebhookReceiver({ secret: SECRET, onError });
    const other = { ...EVENT, data: { ...EVENT.data, amount: "999.00" } };
    for (const event of [EVENT, other]) await receiver.handle(signed(JSON.stringify(event)));
    expect(onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringMatching(
        /^A delivery of "payment.completed" has other data .* receiver.conflicts/,
      ),
    ]);
  });

  test("tells events apart by what identify returns, and as usual if it returns nothing", async () => {
    const { inbox, taken } = watched();
    const identify = ({ event, data }: WebhookEvent) =>
      event === "invoice.paid" ? String(Reflect.get(data, "instalment")) : undefined;
    const receiver = createWebhookReceiver({ secret: SECRET, inbox, identify, onError() {} });
    const post = (event: string, instalment: number) =>
      receiver.handle(signed(JSON.stringify({ event, data: { reference: "INV-1", instalment } })));
    for (const at of [1, 2, 1]) expect((await post("invoice.paid", at)).status).toBe(200);
    for (const at of [1, 2]) await post("invoice.overdue", at);
    const keys = taken.map(({ key }) => key);
    expect(keys[2]).toBe(keys[0]);
    expect(keys[4]).toBe(keys[3]);
    expect(new Set(keys).size).toBe(3);
  });

  test.each([[7], [""], [null]])(
    "returns 500 and reports it if identify returns %j",
    async (identity) => {
      const onError = vi.fn();
      const receiver = createWebhookReceiver(options({ onError, identify: () => identity }));
      expect((await receiver.handle(signed(BODY))).status).toBe(500);
      expect(String(onError.mock.calls[0]?.[0])).toContain(
        "`identify` must return a non-empty string",
      );
    },
  );

  test("says that the inbox cannot count", async () => {
    const inbox = { ...memoryInbox() };
    Reflect.deleteProperty(inbox, "stats");
    const { stats } = createWebhookReceiver({ secret: SECRET, inbox });
    await expect(stats()).rejects.toThrow(/^This inbox cannot count what it holds/);
  });

  test("says that the inbox cannot list conflicts", async () => {
    const inbox = { ...memoryInbox(), conflicts: undefined };
    const { conflicts } = createWebhookReceiver({ secret: SECRET, inbox });
    await expect(conflicts.list()).rejects.toThrow(/^This inbox cannot list conflicts/);
  });

  test("calls onConflict with the conflicting event, and with no other", async () => {
    const onConflict = vi.fn();
    const receiver = createWebhookReceiver({ secret: SECRET, onConflict });
    const other = { ...EVENT, data: { ...EVENT.data, amount: "999.00" } };
    for (const event of [EVENT, EVENT, other]) await receiver.handle(signed(JSON.stringify(event)));
    expect(onConflict.mock.calls).toEqual([[other]]);
  });

  test.each([
    [
      "throw",
      () => {
        throw new Error("callback");
      },
    ],
    ["reject", () => Promise.reject(new Error("callback"))],
  ])("responds as usual although callbacks %s", async (_, callback) => {
    const callbacks = { onError: callback, onConflict: callback, wakeups: { notify: callback } };
    const receiver = createWebhookReceiver(options(callbacks));
    const other = JSON.stringify({ ...EVENT, data: { ...EVENT.data, amount: "999.00" } });
    expect((await receiver.handle(signed(BODY))).status).toBe(200);
    expect((await receiver.handle(signed(other))).status).toBe(200);
    expect((await receiver.handle({ ...signed(BODY), headers: {} })).status).toBe(401);
  });
});
