import { createHmac } from "node:crypto";
import { signWebhook, verifyWebhook, WebhookVerificationError } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { NO_SECRETS } from "../../suites/webhook-cases.ts";
import { BODY, SECRET } from "../../suites/webhook-sample.ts";
import { fc } from "../../support/properties.ts";

// A secret of white space only is rejected.
const isNotBlank = (text: string) => text.trim() !== "";

describe("signWebhook", () => {
  test("returns the lowercase hexadecimal HMAC-SHA256 of the raw body", () => {
    // From another implementation: printf '{"event":"a"}' | openssl dgst -sha256 -hmac whsec_1
    expect(signWebhook('{"event":"a"}', "whsec_1")).toBe(
      "e3d6dd76a10b98edff3df1ea797cf20449ccf0a98e7eb422d2db2de3d2dcf644",
    );
  });

  test("agrees with the platform's HMAC for any text and any secret", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: "binary", minLength: 1 }).filter(isNotBlank),
        (body, secret) => {
          const expected = createHmac("sha256", secret).update(body).digest("hex");
          const encode = (text: string) => new TextEncoder().encode(text);
          expect(signWebhook(body, secret)).toBe(expected);
          expect(signWebhook(encode(body), encode(secret))).toBe(expected);
          expect(signWebhook(encode(body).buffer, secret)).toBe(expected);
        },
      ),
    );
  });

  test("is what verifyWebhook accepts, with and without the prefix", () => {
    const event = fc.record({
      event: fc.string(),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    fc.assert(
      fc.property(
        event,
        fc.string({ minLength: 1 }).filter(isNotBlank),
        fc.boolean(),
        (event, secret, isPrefixed) => {
          const body = JSON.stringify(event);
          const digits = signWebhook(body, secret);
          expect(digits).toMatch(/^[\da-f]{64}$/);
          const signature = isPrefixed ? `sha256=${digits}` : digits;
          const headers = { "X-Service-Signature": signature };
          expect(verifyWebhook({ body, headers, secret })).toStrictEqual(JSON.parse(body));
        },
      ),
    );
  });

  test("signs the bytes of a view, not those around it", () => {
    const pool = new Uint8Array(BODY.length + 8);
    pool.set(BODY, 5);
    expect(signWebhook(pool.subarray(5, 5 + BODY.length), SECRET)).toBe(signWebhook(BODY, SECRET));
  });

  test.each(NO_SECRETS)("rejects a value that is not a secret: %s", (_, secret) => {
    expect(() => signWebhook(BODY, secret as string)).toThrow(
      expect.objectContaining({ code: "configuration" }),
    );
  });

  test.each([[{ event: "a" }], [String({})], [undefined], [null], [7]])(
    "rejects a body that is not raw: %s",
    (body) => {
      const call = () => signWebhook(body as string, SECRET);
      expect(call).toThrow(WebhookVerificationError);
      expect(call).toThrow(expect.objectContaining({ code: "body_not_raw" }));
    },
  );
});
