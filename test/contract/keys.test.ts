import { expect, test } from "vitest";
import { KEY_PREFIXES, keyKind } from "../../src/contract/keys.ts";
import { fc } from "../support/properties.ts";

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
])("the kind of the key %j is %s", (key, kind) => {
  expect(keyKind(key)).toBe(kind);
});

test("only the prefix decides the kind of a key", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("public" as const, "secret" as const, "sandbox" as const),
      fc.string({ minLength: 1 }),
      (kind, rest) => keyKind(KEY_PREFIXES[kind] + rest) === kind,
    ),
  );
});

test("a text without a known prefix has no kind", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^(?:pk_|sk_|sb_)/.test(text));
      expect(keyKind(text)).toBeUndefined();
    }),
  );
});
