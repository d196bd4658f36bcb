import fc from "fast-check";
import { expect, test } from "vitest";
import { KEY_PREFIXES, keyKind } from "../../src/contract/keys.ts";

test.each([
  ["pk_1", "public"],
  ["sk_1", "secret"],
  ["sb_1", "sandbox"],
  ["pk_live_9f", "public"],
  ["sk_sb_pk_", "secret"],
  ["pk_", undefined],
  ["sk_", undefined],
  ["sb_", undefined],
  ["", undefined],
  ["PK_1", undefined],
  [" sk_1", undefined],
  ["rk_1", undefined],
  ["key_sk_1", undefined],
  ["sk-1", undefined],
])("%j is a key of the kind %s", (key, kind) => {
  expect(keyKind(key)).toBe(kind);
});

test("a key is of the kind that its prefix says, whatever follows", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("public" as const, "secret" as const, "sandbox" as const),
      fc.string({ minLength: 1 }),
      (kind, rest) => keyKind(KEY_PREFIXES[kind] + rest) === kind,
    ),
  );
});

test("a text with none of the three prefixes is no key", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^(?:pk_|sk_|sb_)/.test(text));
      expect(keyKind(text)).toBeUndefined();
    }),
  );
});
