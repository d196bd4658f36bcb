import {
  isGatewayError,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookVerificationError,
} from "malipo/webhooks";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { indexOfSigner } from "../../../src/webhooks/verification/verify-webhook.ts";
import { CALL_CASES } from "../../suites/webhook-call-cases.ts";
import { NO_SECRETS, WIRE_CASES, type WireCase } from "../../suites/webhook-cases.ts";
import { BODY, HEX, hmac, SECRET } from "../../suites/webhook-sample.ts";
import { fc } from "../../support/properties.ts";

/** `accepted`, the code of our error, or anything else that was thrown. */
function resultOf(call: () => unknown): string {
  try {
    call();
    return "accepted";
  } catch (error) {
    return isGatewayError(error) ? error.code : String(error);
  }
}

/** The same delivery in every form that `verifyWebhook` takes. */
function formsOf({ wire: { body, headers }, unsendable }: WireCase) {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return [
    { body, headers },
    { body: Uint8Array.from(body).buffer, headers },
    { body, headers: Object.fromEntries(lists) as Record<string, string[]> },
    // A text of repaired bytes is another body.
    ...(Buffer.from(text).equals(body) ? [{ body: text, headers }] : []),
    // `Headers` drops or rejects the characters that those cases are about.
    ...(unsendable ? [] : [{ body, headers: new Headers(headers) }]),
  ];
}

/** What each option may wrongly be given and random values rarely are. */
const HOSTILE: Record<keyof VerifyWebhookOptions, unknown[]> = {
  body: [Object.create(null), { buffer: {} }, { buffer: null, byteLength: -1 }, Symbol("body")],
  headers: [Symbol("h"), { get: 1 }, { get: { call: undefined } }, [[SECRET]], new Map()],
  signature: [Symbol("s"), Object.create(null), [[[]]], { length: 64 }, 1n],
  secret: [[["x"]], { length: 1 }, (key: string) => key, Object("x"), [Symbol("s")], 1n],
  maxAgeSeconds: [Symbol("5"), Object.create(null), { valueOf: 1, toString: 1 }, -0, "5 s", 5n],
};

/** What a call may result in, whatever it is given. */
const EXPECTED = [
  "accepted",
  "configuration",
  "signature_missing",
  "signature_malformed",
  "signature_mismatch",
  "timestamp_out_of_range",
  "payload_invalid",
  "body_not_raw",
];

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

describe.each(["node", "web"])("verifyWebhook over hmac/%s.ts", (runtime) => {
  let verify: typeof verifyWebhook;

  beforeAll(async () => {
    vi.resetModules();
    // What the `imports` of package.json do if there is no node:crypto.
    if (runtime === "web") {
      vi.doMock(
        "../../../src/internal/hmac/node-hmac.ts",
        () => import("../../../src/internal/hmac/web-hmac.ts"),
      );
    }
    ({ verifyWebhook: verify } = await import("malipo/webhooks"));
    vi.doUnmock("../../../src/internal/hmac/node-hmac.ts");
  });

  for (const row of WIRE_CASES) {
    test(`${row.name}: ${row.expected}`, () => {
      for (const form of formsOf(row)) {
        const options: VerifyWebhookOptions = { ...form, secret: row.secret };
        expect(resultOf(() => verify(options))).toBe(row.expected);
        if (row.event !== undefined) expect(verify(options)).toStrictEqual(row.event);
      }
    });
  }

  for (const { name, options, expected } of CALL_CASES) {
    test(`${name}: ${expected}`, () => {
      const call = () => verify(options() as unknown as VerifyWebhookOptions);
      expect(resultOf(call)).toBe(expected);
    });
  }

  test.each(NO_SECRETS)(
    "a value that is not a secret is a configuration error: %s",
    (_, secret) => {
      const call = () => verify({ body: BODY, signature: HEX, secret: secret as string });
      expect(resultOf(call)).toBe("configuration");
    },
  );

  test.each(Object.entries(HOSTILE))(
    "throws only errors of this package, whatever the %s",
    (option, values) => {
      const signatures = fc.constantFrom(HEX, "0".repeat(64));
      fc.assert(
        fc.property(anything, signatures, (value, signature) => {
          const way = option === "headers" ? {} : { signature };
          const options = { body: BODY, secret: SECRET, ...way, [option]: value };
          const result = resultOf(() => verify(options));
          expect(EXPECTED).toContain(result);
          expect(resultOf(() => verify(options))).toBe(result);
        }),
        { examples: values.map((value) => [value, HEX]) },
      );
    },
  );
});

const STATUSES: [status: number, code: string, options: Partial<VerifyWebhookOptions>][] = [
  [401, "signature_missing", { signature: undefined }],
  [401, "signature_malformed", { signature: "sha1=" }],
  [401, "signature_mismatch", { signature: "0".repeat(64) }],
  [401, "timestamp_out_of_range", { maxAgeSeconds: Number.MIN_VALUE }],
  [400, "payload_invalid", { body: "no JSON", signature: signWebhook("no JSON", SECRET) }],
  [500, "body_not_raw", { body: {} as ArrayBuffer }],
];

test.each(STATUSES)("the status to respond with is %i for %s", (status, code, options) => {
  const call = () => verifyWebhook({ body: BODY, secret: SECRET, signature: HEX, ...options });
  expect(call).toThrow(expect.objectContaining({ code, status, outcome: "rejected" }));
  expect(call).toThrow(WebhookVerificationError);
});

// A secret of white space only is rejected.
const isNotBlank = (text: string) => text.trim() !== "";
const secret = fc.string({ minLength: 1, unit: "grapheme" }).filter(isNotBlank);
const bodyBytes = fc.uint8Array({ minLength: 1, maxLength: 300 });

/** A copy in which one bit, counted from the start and around, is the other way. */
function withBitFlipped(bytes: Uint8Array, bit: number): Uint8Array {
  const at = bit % (bytes.length * 8);
  return bytes.map((byte, index) => (index === at >> 3 ? byte ^ (1 << (at & 7)) : byte));
}

test("rejects a body of which one bit changed", () => {
  fc.assert(
    fc.property(bodyBytes, secret, fc.nat(), (body, secret, bit) => {
      const changed = withBitFlipped(body, bit);
      const call = () => verifyWebhook({ body: changed, secret, signature: hmac(body, secret) });
      expect(resultOf(call)).toBe("signature_mismatch");
    }),
  );
});

test.each(Array.from({ length: 256 }, (_, bit) => bit))(
  "rejects a signature of which bit %i changed",
  (bit) => {
    const signature = Buffer.from(withBitFlipped(Buffer.from(HEX, "hex"), bit)).toString("hex");
    expect(resultOf(() => verifyWebhook({ body: BODY, secret: SECRET, signature }))).toBe(
      "signature_mismatch",
    );
  },
);

test("returns the index of the secret that signed, whatever the order", () => {
  // Printable ASCII: to an HMAC, a short key and the same key with NULs behind it are one.
  const secrets = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 64 }).filter(isNotBlank), {
    minLength: 1,
  });
  fc.assert(
    fc.property(secrets, fc.nat(), fc.boolean(), (secrets, pick, asBytes) => {
      const index = pick % secrets.length;
      const signature = hmac(BODY, secrets[index]);
      const secret = asBytes ? secrets.map((one) => new TextEncoder().encode(one)) : secrets;
      expect(indexOfSigner(secret, BODY, signature)).toBe(index);
      expect(verifyWebhook({ body: BODY, secret, signature })).toStrictEqual(
        JSON.parse(new TextDecoder().decode(BODY)),
      );
    }),
  );
});

test("returns the first of equal secrets", () => {
  expect(indexOfSigner(["another", SECRET, SECRET], BODY, HEX)).toBe(1);
});
