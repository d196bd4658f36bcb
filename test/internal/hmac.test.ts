import * as crypto from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import * as node from "../../src/internal/hmac/node-hmac.ts";
import * as web from "../../src/internal/hmac/web-hmac.ts";
import { fc } from "../support/properties.ts";

const hex = (digits: string) => Uint8Array.from(Buffer.from(digits, "hex"));

/** RFC 4231, section 4: HMAC-SHA-256. */
const VECTORS: [name: string, key: Uint8Array | string, data: Uint8Array | string, mac: string][] =
  [
    [
      "1",
      hex("0b".repeat(20)),
      "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      "2",
      "Jefe",
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      "3",
      hex("aa".repeat(20)),
      hex("dd".repeat(50)),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ],
    [
      "4",
      hex("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      hex("cd".repeat(50)),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
    [
      "6",
      hex("aa".repeat(131)),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
    [
      "7",
      hex("aa".repeat(131)),
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ],
  ];

/** As Bun and Deno load it if they have no `crypto.hash`. */
async function withoutOneShotHash(): Promise<typeof node> {
  vi.resetModules();
  vi.doMock("node:crypto", async (original) => {
    const {
      hash: _,
      default: __,
      ...others
    } = await original<typeof crypto & { default: unknown }>();
    return others;
  });
  const module = await import("../../src/internal/hmac/node-hmac.ts");
  vi.doUnmock("node:crypto");
  return module;
}

const IMPLEMENTATIONS: [name: string, implementation: typeof node][] = [
  ["node.ts", node],
  ["node.ts without crypto.hash", await withoutOneShotHash()],
  ["web.ts", web],
];

const hmacOf = (key: string | Uint8Array, body: string | Uint8Array) =>
  crypto.createHmac("sha256", key).update(body).digest("hex");

describe.each(IMPLEMENTATIONS)("hmac/%s", (_, { sign, isSignedBy, sha256Hex }) => {
  test.each(VECTORS)("returns the digest of RFC 4231, test case %s", (_, key, data, mac) => {
    expect(sign(key, data)).toBe(mac);
    expect(isSignedBy(key, data, mac)).toBe(true);
    expect(isSignedBy(key, data, mac.toUpperCase())).toBe(true);
  });

  // The key changes form above 64 bytes; above 16 kB, Node hashes in another way.
  const lengths = fc.constantFrom(1, 63, 64, 65, 66, 200, 16_383, 16_384, 16_385, 16_448, 50_000);
  const bytes = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  const character = fc.constantFrom("k", "é", "€", "🔑", "\ud800");
  const text = fc.tuple(character, lengths).map(([one, length]) => one.repeat(length));
  const input = fc.oneof(bytes, text, fc.uint8Array(), fc.string({ unit: "binary" }));

  test("returns what createHmac returns, whatever the key and the body", () => {
    fc.assert(
      fc.property(input, input, (key, body) => {
        expect(sign(key, body)).toBe(hmacOf(key, body));
      }),
    );
  });

  test("keeps nothing of an earlier key or body", () => {
    const calls = [
      ["k".repeat(200), "b".repeat(16_384)],
      ["k", "b"],
      ["é".repeat(64), ""],
      ["k".repeat(64), "b".repeat(16_385)],
      ["", "short"],
    ] as const;
    for (const [key, body] of [...calls, ...calls.toReversed()]) {
      expect(sign(key, body)).toBe(hmacOf(key, body));
      expect(isSignedBy(key, body, hmacOf(key, body))).toBe(true);
    }
  });

  test("rejects digits that are too few or too many, whatever was verified before", () => {
    const mac = sign("key", "body");
    expect(isSignedBy("key", "body", mac)).toBe(true);
    for (const digits of ["", mac.slice(0, 63), `${mac}0`, mac + mac]) {
      expect(isSignedBy("key", "body", digits)).toBe(false);
    }
  });

  test("returns the SHA-256 of text and bytes", () => {
    fc.assert(
      fc.property(input, (data) => {
        expect(sha256Hex(data)).toBe(crypto.createHash("sha256").update(data).digest("hex"));
      }),
    );
  });

  test("begins with the truncated digest of RFC 4231, test case 5", () => {
    const mac = sign(hex("0c".repeat(20)), "Test With Truncation");
    expect(mac.slice(0, 32)).toBe("a3b6167473100ee06e0c796c2955552b");
  });

  test.each(Array.from({ length: 64 }, (_, at) => at))("compares digit %i", (at) => {
    const mac = sign("key", "body");
    for (const digit of "0123456789abcdef") {
      const digits = mac.slice(0, at) + digit + mac.slice(at + 1);
      expect(isSignedBy("key", "body", digits)).toBe(digit === mac[at]);
    }
  });

  test("signs the UTF-8 bytes of a text, with U+FFFD for a lone surrogate", () => {
    const bytes = new TextEncoder().encode("sirí 🔑");
    expect(sign("sirí 🔑", "sirí 🔑")).toBe(sign(bytes, bytes));
    expect(sign("\ud800", "\ud800")).toBe(sign("\ufffd", "\ufffd"));
  });

  test("signs the bytes of a view, not those around it", () => {
    const pool = Uint8Array.of(9, 1, 2, 3, 9);
    const view = pool.subarray(1, 4);
    expect(sign(view, view)).toBe(sign(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)));
  });

  test("does not change the key or the body", () => {
    const key = Uint8Array.of(1, 2, 3);
    const body = Uint8Array.of(4, 5, 6);
    sign(key, body);
    isSignedBy(key, body, "0".repeat(64));
    expect([...key, ...body]).toStrictEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("the two implementations", () => {
  // A block of SHA-256 is 64 bytes, its padding 9: implementations differ at those lengths.
  const lengths = fc.constantFrom(0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 1_000, 20_000);
  const bytes = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  const text = fc.string({ unit: "binary", maxLength: 300 });
  const input = fc.oneof(bytes, text);
  const key = fc.oneof(bytes, text);

  test("give the same signature, whatever the key and the body", () => {
    fc.assert(
      fc.property(key, input, (key, body) => {
        const mac = node.sign(key, body);
        expect(web.sign(key, body)).toBe(mac);
        expect(mac).toMatch(/^[\da-f]{64}$/);
      }),
      {
        examples: [
          ["", ""],
          [new Uint8Array(0), new Uint8Array(0)],
        ],
      },
    );
  });

  test("accept each other's signatures and reject the same others", () => {
    const digits = fc.stringMatching(/^[\da-fA-F]{64}$/);
    fc.assert(
      fc.property(key, input, digits, fc.nat(255), (key, body, digits, bit) => {
        const mac = node.sign(key, body);
        const flipped = hex(mac).map((byte, at) =>
          at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte,
        );
        for (const [one, accepted] of [
          [mac, true],
          [mac.toUpperCase(), true],
          [Buffer.from(flipped).toString("hex"), false],
          [digits, digits.toLowerCase() === mac],
        ] as const) {
          expect(node.isSignedBy(key, body, one)).toBe(accepted);
          expect(web.isSignedBy(key, body, one)).toBe(accepted);
        }
      }),
    );
  });
});
