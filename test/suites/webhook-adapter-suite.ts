import { receiptFor, type WebhookEvent } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../src/webhooks/inbox/memory/inbox.ts";
import { type Expected, WIRE_CASES } from "./webhook-cases.ts";
import { DUPLICATE_CASES } from "./webhook-duplicate-cases.ts";
import { HTTP_CASES, LIMIT } from "./webhook-http-cases.ts";
import { type DeliveryResponse, PATH } from "./webhook-mount.ts";
import { BODY, hmac, utf8 } from "./webhook-sample.ts";
import { testSockets } from "./webhook-socket-suite.ts";
import { type AdapterUnderTest, expectOurs, type Stage, signed, stageAt } from "./webhook-stage.ts";

/** The response to each: the status, and the description. */
const RESPONSES: Readonly<Record<Expected, readonly [status: number, description: string]>> = {
  accepted: [200, "received"],
  signature_missing: [401, "signature missing"],
  signature_malformed: [401, "signature malformed"],
  signature_mismatch: [401, "signature mismatch"],
  timestamp_out_of_range: [401, "timestamp out of range"],
  payload_invalid: [400, "payload invalid"],
  body_not_raw: [500, "body not raw"],
};

/** The description if the signature has not decided. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: "received",
  405: "POST only",
  413: "too large",
};

const descriptionIn = ({ body }: DeliveryResponse): string => JSON.parse(body).ResultDesc;

/** Whether `express.json()` passes the request on. */
function isJsonToParsers(body: Uint8Array): boolean {
  const text = new TextDecoder().decode(body);
  try {
    return text === "" || (/^\s*[[{]/.test(text) && Boolean(JSON.parse(text)));
  } catch {
    return false;
  }
}

/** Signatures, secrets and bodies. */
function testWire(stage: Stage): void {
  const { parser, isCalledWith } = stage.place;
  for (const { name, wire, secret, expected, splitAt, unsendable } of WIRE_CASES) {
    if (unsendable && isCalledWith !== "any headers") continue;
    test(`${name}: ${expected}`, async () => {
      // A receiver refuses it when it is made.
      if ([secret].flat().some((one) => typeof one === "string" && one !== one.trim())) {
        expect(() => stage.receive({ secret })).toThrow(/secret has outer white space/);
        return;
      }
      stage.receive({ secret });
      const headers = { "Content-Type": "application/json", ...wire.headers };
      const response = await stage.deliver({
        ...{ body: wire.body, headers },
        ...(splitAt && { splitAt: [splitAt] }),
      });
      const { status } = response;
      // Exactly the bytes that were sent.
      const raw = stage.stored.map((one) => Buffer.from(one.raw));
      expect(raw).toEqual(status === 200 ? [Buffer.from(wire.body)] : []);
      if (parser === "json" && !isJsonToParsers(wire.body)) {
        expect(status).toBe(400);
        return;
      }
      expect([status, descriptionIn(response)]).toEqual(RESPONSES[expected]);
      expect(stage.onError).toHaveBeenCalledTimes(status === 200 ? 0 : 1);
    });
  }
}

/** Methods, sizes, types, encodings. */
function testHttp(stage: Stage): void {
  for (const { name, delivery, status, inflated, says } of HTTP_CASES) {
    const parsers = stage.place.parser && inflated;
    const expected = parsers ?? status;
    const description =
      parsers === undefined && delivery.method !== "HEAD" ? DESCRIPTIONS[expected] : undefined;
    test(`${name}: ${expected}`, async () => {
      stage.receive({ maxBodyBytes: LIMIT });
      const response = await stage.deliver(delivery);
      expect(response.status).toBe(expected);
      expect(stage.stored).toHaveLength(expected === 200 ? 1 : 0);
      if (description !== undefined) expect(descriptionIn(response)).toBe(description);
      if (expected === 405) expect(response.headers.allow).toBe("POST");
      if (says !== undefined && parsers === undefined)
        expect(String(stage.onError.mock.calls[0]?.[0])).toMatch(says);
    });
  }
}

const timestamped = (timestamp: unknown) =>
  utf8(JSON.stringify({ event: "a", timestamp, data: { reference: "PAY-71" } }));

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

const AGES: [name: string, timestamp: () => unknown, status: number][] = [
  ["now", () => ago(0), 200],
  ["now, in another offset", () => ago(-3 * 3_600).replace("Z", "+03:00"), 200],
  ["too old", () => ago(120), 401],
  ["a little ahead", () => ago(-120), 200],
  ["far ahead", () => ago(-600), 401],
  ["without an offset", () => ago(0).replace("Z", ""), 400],
  ["none", () => undefined, 400],
  ["no date", () => "yesterday", 400],
];

function testAges(stage: Stage): void {
  test.each(AGES)("with maxAgeSeconds, a timestamp of %s", async (_, timestamp, status) => {
    stage.receive({ maxAgeSeconds: 60 });
    const { body, headers } = signed(timestamped(timestamp()));
    const spoofed = { ...headers, "X-Timestamp": ago(0), Date: new Date().toUTCString() };
    expect((await stage.deliver({ body: body as Uint8Array, headers: spoofed })).status).toBe(
      status,
    );
  });
}

const BY_KIND = {
  accepted: DESCRIPTIONS[200],
  duplicate: "received before",
  conflict: "received before with other data",
};

/** Duplicates and conflicts. */
function testDuplicates(stage: Stage): void {
  test.each(DUPLICATE_CASES)("$name: each event is processed once", async (row) => {
    const processed: WebhookEvent[] = [];
    const onConflict = vi.fn();
    const receiver = stage.receive({ onConflict });
    receiver.onOther((event) => processed.push(event));
    await receiver.start();
    for (const [at, body] of row.bodies.entries()) {
      const response = await stage.deliver(signed(utf8(body)));
      const ResultDesc = BY_KIND[row.kinds[at] ?? "accepted"];
      expect([response.status, JSON.parse(response.body)]).toEqual([
        200,
        { ResultCode: 0, ResultDesc },
      ]);
    }
    const expected = row.processed.map((at) => JSON.parse(row.bodies[at] ?? ""));
    await expect.poll(() => processed).toEqual(expected);
    await receiver.stop();
    expect(processed).toHaveLength(expected.length);
    const conflicts = row.kinds.filter((kind) => kind === "conflict");
    expect(onConflict).toHaveBeenCalledTimes(conflicts.length);
    expect(stage.onError).not.toHaveBeenCalled();
  });

  test("a hundred equal deliveries at the same time are processed once", async () => {
    const handler = vi.fn();
    const receiver = stage.receive();
    receiver.on("payment.completed", handler);
    await receiver.start();
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => stage.deliver(signed(BODY))),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(responses.map(descriptionIn).filter((text) => text === BY_KIND.accepted)).toHaveLength(
      1,
    );
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
    expect(handler).toHaveBeenCalledTimes(1);
  });
}

/** Failures on the receiver's own side. */
function testFailures(stage: Stage): void {
  test("a store that fails results in 503, never in 200, and is reported", async () => {
    const down = new Error("disk I/O error");
    const accept = vi.fn(() => Promise.reject<never>(down));
    stage.receive({ inbox: { ...memoryInbox(), accept } });
    const response = await stage.deliver(signed(BODY));
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "10"]);
    expect(descriptionIn(response)).toBe("cannot be stored now");
    expect(stage.onError.mock.calls).toEqual([[down]]);
    // The store works again.
    accept.mockResolvedValue(receiptFor("accepted") as never);
    expect((await stage.deliver(signed(BODY))).status).toBe(200);
  });

  test("after stop() the response is 503, and nothing is stored", async () => {
    await stage.receive().stop();
    const response = await stage.deliver(signed(BODY));
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "10"]);
    expect(descriptionIn(response)).toBe("stopping");
    expect(stage.stored).toEqual([]);
  });

  test("an onError that throws changes no response", async () => {
    stage.receive({
      onError: () => {
        throw new Error("the log is full");
      },
    });
    expect((await stage.deliver({ body: BODY })).status).toBe(401);
    expect((await stage.deliver(signed(BODY))).status).toBe(200);
  });
}

/** One receiver for many merchants. */
function testMerchants(stage: Stage): void {
  test("hands over the path and the headers, which tell merchants apart", async () => {
    const paths: string[] = [];
    stage.receive({
      merchant: ({ url, header }) => {
        paths.push(url.pathname);
        return header("X-Merchant");
      },
      secret: (merchant) => `secret of ${merchant}`,
    });
    const deliver = (merchant: string, secret: string) =>
      stage.deliver({
        body: BODY,
        headers: {
          "Content-Type": "application/json",
          "X-Service-Signature": hmac(BODY, secret),
          "X-Merchant": merchant,
        },
      });
    expect((await deliver("shop-7", "secret of shop-7")).status).toBe(200);
    expect((await deliver("shop-8", "secret of shop-7")).status).toBe(401);
    expect(paths).toEqual([PATH, PATH]);
  });
}

/** What every adapter promises. */
export function testAdapter(place: AdapterUnderTest): void {
  describe(place.name, () => {
    const stage = stageAt(place);
    testWire(stage);
    testHttp(stage);
    testAges(stage);
    testDuplicates(stage);
    testFailures(stage);
    testMerchants(stage);
    if (!place.isCalledWith) testSockets(stage);
  });
  for (const [by, mount, hint] of place.spoilt ?? []) {
    describe(`${place.name}, behind a parser: ${by}`, () => {
      const stage = stageAt({ name: by, mount });

      test("returns 500 at once, and the log says which line to move", async () => {
        stage.receive();
        const response = await stage.deliver(signed(BODY));
        expect([response.status, descriptionIn(response)]).toEqual(RESPONSES.body_not_raw);
        expectOurs(response, signed(BODY));
        expect(stage.stored).toEqual([]);
        const [[error] = []] = stage.onError.mock.calls;
        expect(stage.onError).toHaveBeenCalledTimes(1);
        expect(error).toMatchObject({ code: "body_not_raw", message: expect.stringMatching(hint) });
      });

      test.each([{ method: "GET" }, { ...signed(BODY), method: "PUT" }])(
        "still returns 405 for a $method",
        async (delivery) => {
          stage.receive();
          expect((await stage.deliver(delivery)).status).toBe(405);
        },
      );
    });
  }
}
