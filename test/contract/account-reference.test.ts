import { accountReferenceFor } from "malipo";
import { describe, expect, test } from "vitest";
import { sha256Hex as webHash } from "../../src/internal/hmac/web-hmac.ts";
import { fc } from "../support/properties.ts";

describe("the account reference of an order", () => {
  test.each(["1", "ORDER-42", "2026-11-0001", "Z", "ZANZIBAR-42"])("is its id, for %s", (id) => {
    expect(accountReferenceFor(id)).toBe(id);
  });

  // The references are stored with orders: they never change.
  test.each([
    ["3f2b8c1e-58a4-4f8a-9f0e-2f6f5b1f7c11", "an id that is too long", "ZGABSZCQQV6N"],
    ["order-42", "an id in lower case", "Z7FWB2NY44E7"],
    ["ORDER 42", "an id with a blank", "ZD062RV84GFY"],
    ["ORDER_42", "an id with another character", "Z4804V6HXC7Z"],
    ["Zürich", "an id that is not ASCII", "Z898PGQG6SAV"],
    ["Z0123456789A", "an id that looks like a digest", "Z102D1ERAE4B"],
  ])("is a digest, for %s: %s", (id, _, expected) => {
    expect(accountReferenceFor(id)).toMatch(/^Z[0-9A-HJKMNP-TV-Z]{11}$/);
    expect(accountReferenceFor(id)).toBe(expected);
  });

  test("begins with the prefix, and stays within 12 characters", () => {
    expect(accountReferenceFor("ORDER-42", { prefix: "A-" })).toBe("A-ORDER-42");
    expect(accountReferenceFor("ORDER-4242", { prefix: "A-" })).toBe("A-ORDER-4242");
    expect(accountReferenceFor("ORDER-42424", { prefix: "A-" })).toMatch(/^A-Z[0-9A-Z]{9}$/);
    expect(accountReferenceFor("ORDER-42424", { prefix: "" })).toBe("ORDER-42424");
  });

  test("has at most 12 safe characters, is always the same, and no other id has it", () => {
    const id = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
      fc.stringMatching(/^[0-9A-Za-z-]{1,14}$/),
      fc.stringMatching(/^Z[0-9A-Z]{11}$/),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(id, { maxLength: 50 }),
        fc.constantFrom("", "A-", "SHOP"),
        (ids, prefix) => {
          const references = ids.map((one) => accountReferenceFor(one, { prefix }));
          for (const one of references) {
            expect(one).toMatch(/^[0-9A-Z-]{1,12}$/);
            expect(one.startsWith(prefix)).toBe(true);
          }
          expect(ids.map((one) => accountReferenceFor(one, { prefix }))).toEqual(references);
          expect(new Set(references).size).toBe(ids.length);
        },
      ),
    );
  });

  test("is not that of another id, also if a customer chooses an id by it", () => {
    const other = accountReferenceFor("3f2b8c1e-58a4-4f8a-9f0e-2f6f5b1f7c11");
    expect(accountReferenceFor(other)).not.toBe(other);
  });

  test("is different for 200,000 ids", () => {
    const references = new Set<string>();
    for (let i = 0; i < 200_000; i++) references.add(accountReferenceFor(`order/${i}`));
    expect(references.size).toBe(200_000);
  });

  test("is the same in a browser: its digest is the SHA-256", () => {
    // The first 55 bits, five for each character.
    const bits = BigInt(`0x${webHash("order-42")}`)
      .toString(2)
      .padStart(256, "0");
    const digits = Array.from({ length: 11 }, (_, at) =>
      Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2),
    );
    const expected = digits.map((one) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[one]).join("");
    expect(accountReferenceFor("order-42")).toBe(`Z${expected}`);
  });

  test.each(["", 42, undefined, null, "\ud800"])("is not made of the id %j", (id) => {
    expect(() => accountReferenceFor(id as string)).toThrow(
      expect.objectContaining({ code: "invalid_params", outcome: "not_sent" }),
    );
  });

  test.each([{ prefix: "SHOPS" }, { prefix: "a-" }, { prefix: 7 }, { Prefix: "A" }])(
    "is not made with %j",
    (options) => {
      expect(() => accountReferenceFor("ORDER-42", options as object)).toThrow(
        expect.objectContaining({ code: "configuration" }),
      );
    },
  );
});
