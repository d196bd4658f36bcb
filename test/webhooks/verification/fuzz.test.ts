import { fetchHandler } from "malipo/fetch";
import { type LambdaRequest, lambdaHandler } from "malipo/lambda";
import type { NewDelivery, WebhookRequest } from "malipo/types";
import { createWebhookReceiver, type WebhookReceiver } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { BODY, HEX, hmac, SECRET, utf8 } from "../../suites/webhook-sample.ts";
import { fc } from "../../support/properties.ts";

/** A receiver, and what its inbox stored. */
function receive(isDown = false): { receiver: WebhookReceiver; stored: NewDelivery[] } {
  const stored: NewDelivery[] = [];
  const inbox = memoryInbox();
  const accept: typeof inbox.accept = async (delivery) => {
    if (isDown) throw new Error("down");
    const acknowledged = await inbox.accept(delivery);
    stored.push(delivery);
    return acknowledged;
  };
  const options = { secret: [SECRET, "another"], maxBodyBytes: 2_000, onError() {} };
  return { receiver: createWebhookReceiver({ ...options, inbox: { ...inbox, accept } }), stored };
}

const STATUSES = [200, 400, 401, 405, 413, 500, 503];

/** A 200 means one stored delivery of exactly these bytes, signed by one of the secrets. */
function expectHonest(
  { status, body }: { status: number; body: string },
  stored: readonly NewDelivery[],
  sent?: Uint8Array,
): void {
  expect(STATUSES).toContain(status);
  expect(JSON.parse(body)).toEqual({
    ResultCode: status === 200 ? 0 : 1,
    ResultDesc: expect.any(String),
  });
  expect(body).not.toContain(SECRET);
  expect(stored).toHaveLength(status === 200 ? 1 : 0);
  for (const { raw } of stored) {
    expect(raw.length).toBeLessThanOrEqual(2_000);
    expect(typeof JSON.parse(new TextDecoder().decode(raw)).event).toBe("string");
    if (sent !== undefined) expect(Buffer.from(raw).equals(sent)).toBe(true);
  }
}

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

const event = fc
  .record({ event: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) })
  .map((one) => utf8(JSON.stringify(one)));
const bytes = fc.oneof(
  { weight: 4, arbitrary: event },
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: "binary" }).map(utf8),
  fc.jsonValue().map((value) => utf8(JSON.stringify(value))),
  fc.constantFrom(BODY, new Uint8Array(0), new Uint8Array(2_000), new Uint8Array(2_001)),
);

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constant("POST") },
  fc.constantFrom("GET", "post", "POST ", "", "CONNECT"),
);

/** Signatures for a body: right, of another secret, of another body, half, or none at all. */
const signatureFor = (body: Uint8Array): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(hmac(body), `sha256=${hmac(body, "another")}`) },
    fc.constantFrom(hmac(body, "a third"), HEX, "", hmac(body).slice(1), "0".repeat(64)),
    fc.string(),
  );

const delivery = fc.tuple(bytes, method).chain(([body, method]) =>
  fc.record({
    body: fc.constant(body),
    method: fc.constant(method),
    signature: signatureFor(body),
  }),
);

/** Usual and unusual ways to give the header. */
const headersWith = (signature: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ "x-service-signature": signature }) },
    fc.constantFrom<unknown>(
      { "X-Service-Signature": [signature] },
      { "X-SERVICE-SIGNATURE": [signature, signature] },
      { "x-service-signature": { toString: () => signature } },
      { get: () => signature },
      { get: { call: () => signature } },
      {
        get "x-service-signature"() {
          throw new Error("a getter");
        },
      },
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("a proxy");
          },
        },
      ),
      new Map([["x-service-signature", signature]]),
      [["x-service-signature", signature]],
      Object.create({ "x-service-signature": signature }),
      Object.freeze(Object.assign(Object.create(null), { "x-service-signature": signature })),
      undefined,
      null,
      signature,
      Symbol("headers"),
      7n,
    ),
    anything,
  );

const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 2_000) };

describe("whatever is sent,", () => {
  test("handle never rejects, and its 200 means stored", async () => {
    const seen = new Set<number>();
    const scene = delivery.chain((one) =>
      fc.tuple(fc.constant(one), headersWith(one.signature), fc.integer({ min: 0, max: 9 })),
    );
    await fc.assert(
      fc.asyncProperty(scene, async ([{ body, method }, headers, chance]) => {
        const { receiver, stored } = receive(chance === 0);
        const reply = await receiver.handle({ body, method, headers } as WebhookRequest);
        seen.add(reply.status);
        expectHonest(reply, stored, body);
      }),
      RUNS,
    );
    // Otherwise the property has not met every status.
    expect([...seen].sort()).toEqual(STATUSES);
  });

  test("accepts no body that is not raw", async () => {
    await fc.assert(
      fc.asyncProperty(anything, anything, async (body, request) => {
        const { receiver, stored } = receive();
        const headers = { "x-service-signature": HEX };
        expectHonest(await receiver.handle({ method: "POST", headers, body } as never), stored);
        expectHonest(await receiver.handle(request as never), stored);
      }),
      {
        ...RUNS,
        examples: [
          [Object(7n), undefined],
          [{ buffer: {} }, null],
          [new Proxy(BODY, {}), { method: "POST" }],
        ],
      },
    );
  });

  test("fetchHandler never rejects, and its 200 means stored", async () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(delivery, cuts, fc.nat(9), async ({ body, signature }, cuts, chance) => {
        const { receiver, stored } = receive();
        const ends = [
          ...cuts.filter((end) => end < body.length).sort((a, b) => a - b),
          body.length,
        ];
        const stream = new ReadableStream({
          async start(controller) {
            for (const [at, end] of ends.entries()) {
              controller.enqueue(body.slice(ends[at - 1] ?? 0, end));
            }
            if (chance === 0) controller.error(new Error("reset"));
            else controller.close();
          },
        });
        const headers = { "x-service-signature": /^[\da-f=sh]*$/.test(signature) ? signature : "" };
        const init = { method: "POST", headers, body: stream, duplex: "half" };
        const response = await fetchHandler(receiver)(new Request("https://shop.test/", init));
        expectHonest({ status: response.status, body: await response.text() }, stored, body);
        if (chance === 0) expect(stored).toEqual([]);
      }),
      { numRuns: RUNS.numRuns / 4 },
    );
  });

  test("lambdaHandler never rejects, and its 200 means stored", async () => {
    const scene = delivery.chain((one) =>
      fc.record({
        body: fc.constantFrom(
          Buffer.from(one.body).toString("base64"),
          Buffer.from(one.body).toString(),
          null,
        ),
        isBase64Encoded: fc.constantFrom(true, false, undefined),
        headers: headersWith(one.signature),
        multiValueHeaders: fc.constantFrom(undefined, null, {
          "X-Service-Signature": [one.signature],
        }),
        httpMethod: fc.constantFrom(one.method, undefined),
        requestContext: fc.constantFrom(undefined, {}, { http: { method: one.method } }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(scene, async (event) => {
        const { receiver, stored } = receive();
        const { statusCode, body } = await lambdaHandler(receiver)(event as LambdaRequest);
        expectHonest({ status: statusCode, body }, stored);
      }),
      { numRuns: RUNS.numRuns / 2 },
    );
  });
});
