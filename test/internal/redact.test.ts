import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/internal/redact.ts";
import { fc } from "../support/properties.ts";

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const secret = fc
  .tuple(
    fc.constantFrom("pk_", "sk_", "sb_"),
    fc.string({ unit: printable, minLength: 12, maxLength: 64 }),
  )
  .map(([prefix, rest]) => prefix + rest);
const text = fc.string({ maxLength: 20 });
const ascii = fc.string({ unit: printable, maxLength: 20 });

const percent = (given: string) =>
  [...given].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");

/** Ways in which a secret comes back in a text. */
const ENCODINGS: [string, (secret: string) => string][] = [
  ["as it is", (given) => given],
  ["in upper case", (given) => given.toUpperCase()],
  ["in lower case", (given) => given.toLowerCase()],
  ["in a URL", encodeURIComponent],
  ["in a URL, twice encoded", (given) => encodeURIComponent(encodeURIComponent(given))],
  ["in a form", (given) => new URLSearchParams({ given }).toString().slice(6)],
  ["with every character percent-encoded", percent],
  ["in JSON", (given) => JSON.stringify(given).slice(1, -1)],
  ["in JSON with escapes", (given) => given.replaceAll("_", "\\u005f")],
];

describe.each(ENCODINGS)("a secret %s", (_, encode) => {
  test("is redacted, whatever stands around it", () => {
    fc.assert(
      fc.property(secret, text, text, (given, before, after) => {
        const encoded = encode(given);
        const shown = createRedactor(given).text(`${before} ${encoded} ${after}`);
        expect(shown).toBe(`${before} [redacted] ${after}`);
      }),
    );
  });
});

describe("the base64 of a text with the secret in it", () => {
  const forms: [string, (text: string) => string][] = [
    ["base64", (given) => btoa(given)],
    ["base64url", (given) => Buffer.from(given).toString("base64url")],
    ["base64 in a URL", (given) => encodeURIComponent(btoa(given))],
  ];

  test.each(forms)("is redacted at every alignment: %s", (_, encode) => {
    fc.assert(
      fc.property(secret, ascii, ascii, (given, before, after) => {
        const encoded = encode(before + given + after);
        const shown = createRedactor(given).text(encoded);
        expect(shown).toContain("[redacted]");
        const parts = shown.split("[redacted]").map((part) => decodeURIComponent(part));
        const decoded = parts.map((part) => Buffer.from(part, "base64").toString("latin1"));
        // At most a character at each end of the secret.
        for (const part of decoded) expect(part).not.toContain(given.slice(1, -1));
        expect(parts.join("").length).toBeLessThanOrEqual(btoa(before + after).length + 8);
      }),
    );
  });

  test("of a short secret is not looked for: it stands in other texts by chance", () => {
    expect(createRedactor("sk_1").text(btoa("sk_1"))).toBe(btoa("sk_1"));
  });
});

test("a header name with the secret stays a header name", () => {
  const name = createRedactor("sk_live_Secret1").headerName("x-sk_live_secret1");
  expect(name).toBe("x-redacted");
  expect(() => new Headers({ [name]: "1" })).not.toThrow();
});

test("a text without the secret is not changed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (given) => {
      expect(createRedactor("sk_live_Secret1").text(given)).toBe(given);
    }),
  );
});

test("a long text that nearly has the secret many times is searched in linear time", () => {
  const { text: redact } = createRedactor(`sk_${"%25".repeat(20)}`);
  const near = "sk_%25%2525%".repeat(50_000);
  expect(redact(near)).toBe(near);
});
