import fc from "fast-check";
import type { WebhookEvent } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { identityOf } from "../../../src/webhooks/receiver/event-identity.ts";

const identity = (event: unknown, raw = JSON.stringify(event)) =>
  identityOf(event as WebhookEvent, raw);

/** A copy with the fields of every object the other way around. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

// JSON has one zero, whatever its sign.
const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
const data = fc.dictionary(fc.string(), json);

describe("the digest of an event's data", () => {
  test("does not depend on the order of fields, at any depth", () => {
    fc.assert(
      fc.property(data, (data) => {
        const one = identity({ event: "a", data });
        expect(identity({ event: "a", data: reversed(data) }).digest).toBe(one.digest);
      }),
    );
  });

  test("differs wherever the data does", () => {
    fc.assert(
      fc.property(data, data, (one, other) => {
        const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        const digests = [one, other].map((data) => identity({ event: "a", data }).digest);
        expect(digests[0] === digests[1]).toBe(isEqual);
      }),
      {
        examples: [
          [{ a: [] }, { a: {} }],
          [{ a: [1, 2] }, { a: [[1], 2] }],
          [{ a: ["b", 1] }, { a: { b: 1 } }],
          [{ a: null }, {}],
          [{ a: "1" }, { a: 1 }],
          [{ a: "[ 1" }, { a: ["1"] }],
          [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
        ],
      },
    );
  });

  test.each([
    ["lists", `{"l":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["a list of half a million", `{"l":[${"1,".repeat(499_999)}1]}`],
  ])("is taken of any body that can be parsed: %s", (_, text) => {
    const data = JSON.parse(text);
    expect(identity({ event: "a", data }, "raw").digest).toMatch(/^[\da-f]{64}$/);
  });
});

/** For comparison: recursive, and of sorted fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", ...value.map(sorted)];
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ["object", ...fields.map(([name, item]) => [name, sorted(item)])];
}

describe("the identity of an event", () => {
  // What an earlier release has stored must be known again, so neither may ever change. From
  // another implementation, each as: printf ' { }' | openssl dgst -sha256 -hmac malipo
  test.each<[told: string, data: Record<string, unknown>, digest: string]>([
    ["nothing", {}, "7dfd84bf4b3450f2f9064acc87e50d24b7ebe31f5fae3b21769f7088fa2fb20c"],
    [
      // printf ' { "a" [ , 1 , { "b" null "c" true } , [ ] ] "z" { "é" "x y" } }'
      "lists, objects and every kind of value",
      { z: { é: "x y" }, a: [1, { c: true, b: null }, []] },
      "ba3a4d41b15a38644d1d201c844db5acf8959037ec7fd5fdfec078451d3d653c",
    ],
  ])("has the same digest in every release: %s", (_, data, digest) => {
    expect(identity({ event: "a", data }).digest).toBe(digest);
  });

  test.each<[by: string, data: Record<string, unknown>, key: string]>([
    [
      // printf '["payment.completed","payment_id",71]'
      "a number for a payment_id",
      { payment_id: 71 },
      "14056c1518ffc469e1543ce96d61d0590d7cd9813a4f62ef8f7266ee7059390c",
    ],
    [
      // printf '["payment.completed","payment_id","71"]'
      "a text for a payment_id",
      { payment_id: "71" },
      "3537c861d77e295d61d00aaf0a16a42fbc606e689c024a8276f8ea8402d0c54f",
    ],
    [
      // printf '["payment.completed","raw","%s"]', with the digest of raw
      "the raw bytes",
      {},
      "c66ff2d8dfc4ca5678fc341626f25703ee4400286ef17553ce9a8a6bd30fd2da",
    ],
  ])("has the same key in every release: by %s", (_, data, key) => {
    expect(identity({ event: "payment.completed", data }, "raw").key).toBe(key);
  });
});

describe("the key of an event", () => {
  const names = fc.oneof(fc.string(), fc.constantFrom("1", "reference", '","', "a:b"), fc.nat());

  test("is equal for equal kinds and references alone, whatever else is in the data", () => {
    fc.assert(
      fc.property(
        fc.string(),
        names,
        fc.string(),
        names,
        data,
        (kind, name, kind2, name2, rest) => {
          const one = identity({ event: kind, data: { ...rest, reference: name } });
          const other = identity({ event: kind2, data: { reference: name2 } });
          const isSame = kind === kind2 && name === name2 && name !== "";
          expect(one.key === other.key).toBe(isSame);
          expect(one.key).toMatch(/^[\da-f]{64}$/);
        },
      ),
      {
        examples: [
          ["a", "1", "a", 1, {}],
          ["a:b", "c", "a", "b:c", {}],
          ["a", "x", "a", "x", { b: 1 }],
        ],
      },
    );
  });

  test("takes the payment_id where there is no reference, and never the one for the other", () => {
    fc.assert(
      fc.property(
        names,
        fc.constantFrom(undefined, null, "", {}, [], true, 0.5, 2 ** 53),
        (name, none) => {
          fc.pre(name !== "");
          const byId = identity({ event: "a", data: { payment_id: name, reference: none } }, "1");
          expect(identity({ event: "a", data: { payment_id: name } }, "2").key).toBe(byId.key);
          expect(identity({ event: "a", data: { reference: name } }).key).not.toBe(byId.key);
        },
      ),
    );
  });

  test("is of the raw bytes where there is neither, as text or as bytes", () => {
    const event = { event: "a", data: {} };
    const bytes = new TextEncoder().encode("raw");
    expect(identityOf(event as never, bytes)).toEqual(identity(event, "raw"));
    expect(identity(event, "raw2").key).not.toBe(identity(event, "raw").key);
  });
});
