import { inspect } from "node:util";
import {
  isGatewayError,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
} from "malipo/webhooks";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { BODY, EVENT, hmac, SECRET, utf8 } from "../../suites/webhook-sample.ts";
import { fc } from "../../support/properties.ts";

function errorOf(options: VerifyWebhookOptions): Error {
  try {
    verifyWebhook(options);
  } catch (error) {
    if (isGatewayError(error)) return error;
    throw error;
  }
  throw new Error("accepted");
}

const WRONG = "0".repeat(64);
const PRETTY = JSON.stringify(EVENT, null, 2);

const WHITE_SPACE = "The secret has outer white space.";
const BOM = "The body has a byte order mark.";
const MISMATCH =
  "The signature does not match. Either the secret is wrong or the body was changed after signing: pass the raw bytes.";

type HintRow = [situation: string, options: Partial<VerifyWebhookOptions>, hints: string[]];

const HINTS: HintRow[] = [
  ["nothing of note", {}, []],
  ["a newline behind the secret", { secret: `${SECRET}\n` }, [WHITE_SPACE]],
  ["CRLF behind the secret", { secret: `${SECRET}\r\n` }, [WHITE_SPACE]],
  ["a space before the secret", { secret: ` ${SECRET}` }, [WHITE_SPACE]],
  ["a newline behind the second secret", { secret: [SECRET, `${SECRET}\n`] }, [WHITE_SPACE]],
  ["a newline in a secret read as a Buffer", { secret: Buffer.from(`${SECRET}\n`) }, [WHITE_SPACE]],
  ["white space inside the secret", { secret: "a b" }, []],
  ["a byte order mark in a text", { body: `\uFEFF${PRETTY}` }, [BOM]],
  ["a byte order mark in bytes", { body: utf8(`\uFEFF${PRETTY}`) }, [BOM]],
  // As the service sends it: a compact body says nothing about a parser.
  ["a genuine body and another secret", { body: BODY }, []],
  ["no JSON", { body: "event=a" }, []],
  ["no UTF-8", { body: Uint8Array.of(0x22, 0xff, 0x22) }, []],
  ["an empty body", { body: "" }, []],
  ["all at once", { body: `\uFEFF{}`, secret: "a " }, [WHITE_SPACE, BOM]],
];

test.each(HINTS)(
  "a mismatch names the causes that can be seen on this side: %s",
  (_, options, hints) => {
    const error = errorOf({ body: PRETTY, secret: SECRET, signature: WRONG, ...options });
    expect(error).toMatchObject({ code: "signature_mismatch" });
    expect(error.message).toBe([MISMATCH, ...hints].join(" "));
  },
);

const MISSING = "The request has no X-Service-Signature header.";
const MALFORMED = "The X-Service-Signature header must be 64 hex digits.";
const TWICE = "The X-Service-Signature header came more than once: find what adds it.";
const notRaw = (got: string) =>
  `The body was already parsed: got ${got}. Pass the raw bytes: express.raw() on this route, rawBody: true in Nest, await request.arrayBuffer() in fetch frameworks.`;
const noSecret = (got: string) =>
  `secret must be a non-empty string or Uint8Array, or a list of them; got ${got}.`;
const UNSET = ", as of an unset variable";
const NO_EVENT = "The body is not JSON with a string `event` and an object `data`.";
const NO_TIMESTAMP = "The event has no ISO 8601 `timestamp` with an offset.";

/** The clock stands still, so that the ages in messages do not depend on when a test runs. */
const NOW = Date.parse("2026-03-05T09:30:00.000Z");

/** An event of that age, signed. */
function aged(seconds: number): Record<string, unknown> {
  const timestamp = new Date(NOW - seconds * 1_000).toISOString();
  const body = JSON.stringify({ ...EVENT, timestamp });
  return { body, signature: hmac(utf8(body)), maxAgeSeconds: 300 };
}

const signed = (body: string) => ({ body, signature: hmac(utf8(body)) });

const MESSAGES: [code: string, given: Record<string, unknown>, message: string][] = [
  ["configuration", { secret: "" }, noSecret(`""${UNSET}`)],
  ["configuration", { secret: [SECRET, ""] }, noSecret(`""${UNSET}`)],
  ["configuration", { secret: undefined }, noSecret("undefined")],
  ["configuration", { secret: " \n" }, noSecret(`" \\n"${UNSET}`)],
  ["configuration", { secret: "undefined" }, noSecret(`"undefined"${UNSET}`)],
  ["configuration", { secret: ["null", SECRET] }, noSecret(`"null"${UNSET}`)],
  ["configuration", { secret: `${{}}` }, noSecret(`"[object Object]"${UNSET}`)],
  ["configuration", { secret: 42 }, noSecret("a number")],
  ["configuration", { secret: {} }, noSecret("an object")],
  ["configuration", { maxAgeSeconds: 0 }, "maxAgeSeconds must be a number above 0; got 0."],
  [
    "configuration",
    { tolerance: 300 },
    "verifyWebhook has only the options body, headers, signature, secret and maxAgeSeconds.",
  ],
  ["signature_missing", { signature: undefined }, MISSING],
  ["signature_missing", { signature: undefined, headers: {} }, MISSING],
  ["signature_malformed", { signature: "sha1=" }, MALFORMED],
  ["signature_malformed", { signature: [WRONG, WRONG] }, TWICE],
  ["signature_malformed", { signature: `${WRONG}, ${WRONG}` }, TWICE],
  ["body_not_raw", { body: EVENT }, notRaw("an object")],
  ["body_not_raw", { body: undefined }, notRaw("undefined")],
  ["payload_invalid", signed("no JSON"), NO_EVENT],
  ["payload_invalid", signed("[]"), NO_EVENT],
  ["payload_invalid", { ...signed('{"event":"a","data":{}}'), maxAgeSeconds: 300 }, NO_TIMESTAMP],
  ["timestamp_out_of_range", aged(400.4), "The event is 400 s old; maxAgeSeconds is 300."],
  ["timestamp_out_of_range", aged(-400), "The event is 400 s ahead; maxAgeSeconds is 300."],
];

describe("a secret that is left out", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("is read from MALIPO_WEBHOOK_SECRET", () => {
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
    expect(verifyWebhook({ body: BODY, signature: hmac(BODY) })).toEqual(EVENT);
    expect(errorOf({ body: BODY, signature: WRONG })).toMatchObject({ code: "signature_mismatch" });
  });

  test("is an error if the variable is not set, or the option is undefined", () => {
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", "");
    const options = { body: BODY, signature: hmac(BODY) };
    expect(errorOf(options)).toMatchObject({
      code: "configuration",
      message:
        "The webhook signing secret is missing. Pass the option `secret`, or set MALIPO_WEBHOOK_SECRET.",
    });
    vi.stubEnv("MALIPO_WEBHOOK_SECRET", SECRET);
    expect(errorOf({ ...options, secret: undefined } as never).message).toBe(noSecret("undefined"));
  });
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});
afterAll(() => {
  vi.useRealTimers();
});

test.each(MESSAGES)("%s says what is wrong and what to do: %j", (code, given, message) => {
  const error = errorOf({ body: BODY, secret: SECRET, signature: hmac(BODY), ...given });
  expect(error).toMatchObject({ code, message });
});

test("signWebhook rejects an empty secret with the same message", () => {
  expect(() => signWebhook(BODY, "")).toThrow(noSecret(`""${UNSET}`));
});

/** All that a log could get out of an error. */
function everythingSaidBy(error: unknown): string {
  const said: string[] = [];
  for (let one = error; one !== undefined; one = (one as Error).cause) {
    const fields = Object.getOwnPropertyNames(one).map((name) => Reflect.get(one as object, name));
    said.push(
      inspect(one, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null }),
      JSON.stringify(one),
      JSON.stringify(fields),
      `${one}`,
      `${(one as Error).message} ${(one as Error).stack}`,
    );
  }
  return said.join("\n");
}

describe("an error never quotes", () => {
  const canary = fc.stringMatching(/^[a-z0-9]{12}$/);

  /** Bodies with a text in them: events, near misses, other JSON, other texts, other bytes. */
  const bodyWith = (text: string): fc.Arbitrary<unknown> =>
    fc.oneof(
      fc
        .constantFrom(
          text,
          { event: "a", timestamp: "2000-01-01T00:00:00Z", data: { text } },
          { event: "a", timestamp: text, data: {} },
          { event: text },
          { event: "a", data: text },
          { [text]: { [text]: text } },
          [text],
        )
        .chain((value) =>
          fc.constantFrom(JSON.stringify(value), `${value}`, utf8(JSON.stringify(value)), value),
        ),
      fc.tuple(fc.string({ unit: "binary" }), fc.string()).map((around) => around.join(text)),
      fc.uint8Array().map((bytes) => Uint8Array.of(...utf8(text), ...bytes)),
      fc.uint8Array().map((bytes) => Uint8Array.of(...bytes, ...utf8(`{"event":"${text}`))),
    );

  const scene = fc.record({
    bodyText: canary,
    secretText: canary,
    around: fc.constantFrom("", " ", "\n", "é"),
    maxAgeSeconds: fc.constantFrom(undefined, 60),
    isSigned: fc.boolean(),
    signatureText: canary,
    isDigest: fc.boolean(),
  });

  test("a body, a secret, or a digest", () => {
    const codes = new Set<string>();
    fc.assert(
      fc.property(
        scene.chain((one) => fc.tuple(fc.constant(one), bodyWith(one.bodyText))),
        ([{ bodyText, secretText, around, signatureText, ...how }, body]) => {
          const secret = secretText + around;
          const isRaw = typeof body === "string" || body instanceof Uint8Array;
          const digest = isRaw
            ? hmac(typeof body === "string" ? utf8(body) : body, secret)
            : hmac(utf8(bodyText));
          const given = how.isDigest ? hmac(utf8(signatureText)) : signatureText;
          try {
            verifyWebhook({
              body: body as string,
              secret: [secret, secretText],
              signature: how.isSigned ? digest : given,
              maxAgeSeconds: how.maxAgeSeconds,
            });
          } catch (error) {
            if (isGatewayError(error)) codes.add(error.code);
            const said = everythingSaidBy(error);
            const base64 = Buffer.from(digest, "hex").toString("base64");
            for (const text of [bodyText, secretText, digest, base64, given]) {
              expect(said).not.toContain(text);
            }
          }
        },
      ),
      { numRuns: 3_000 },
    );
    // Otherwise the property has not met every code.
    expect([...codes].sort()).toStrictEqual([
      "body_not_raw",
      "payload_invalid",
      "signature_malformed",
      "signature_mismatch",
      "timestamp_out_of_range",
    ]);
  });
});

test.each([undefined, null, 42])("verifyWebhook(%s) asks for its options", (options) => {
  expect(errorOf(options as never)).toMatchObject({
    code: "configuration",
    message: expect.stringContaining("MALIPO_WEBHOOK_SECRET"),
  });
});
