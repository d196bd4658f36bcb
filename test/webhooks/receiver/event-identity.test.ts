import type { WebhookEvent } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../../src/contract/events.ts";
import {
  eventIdentity,
  type IdentityParts,
} from "../../../src/webhooks/receiver/event-identity.ts";
import { readEvent } from "../../../src/webhooks/verification/payload.ts";
import { fc } from "../../support/properties.ts";

const identity = (event: unknown, raw = JSON.stringify(event)) =>
  eventIdentity({ event: event as WebhookEvent, text: raw }, raw);

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
  const digestOf = (data: string) => {
    const raw = `{"event":"a","data":${data}}`;
    return eventIdentity(readEvent(raw), new TextEncoder().encode(raw)).digest;
  };

  test.each([
    ["9007199254740992", "9007199254740993"],
    ["-9007199254740992", "-9007199254740993"],
    ["0.1", "0.10000000000000000555"],
    ["123456789012345.67", "123456789012345.671"],
    ["1e400", "1e401"],
    ["1e400", "null"],
    ["1e-400", "0"],
    ["[[9007199254740993]]", "[[9007199254740992]]"],
  ])("tells numbers apart that a parser rounds to the same: %s and %s", (one, other) => {
    for (const around of [
      '{"n":?}',
      '{"n": [\n?]}',
      '{"s":"\\"9007199254740993","n":-1,"m":{"n":?}}',
    ]) {
      const [first, second] = [one, other].map((number) => digestOf(around.replace("?", number)));
      expect(first).not.toBe(second);
      expect(digestOf(around.replace("?", one))).toBe(first);
    }
  });

  test.each([
    ["1", "1.0"],
    ["100", "1e2"],
    ["0.5", "5E-1"],
    ["0", "0e999"],
    ['"9007199254740993 :1234567890123456"', '"9007199254740993 \\u003a1234567890123456"'],
  ])("is the same for two ways to write one value: %s and %s", (one, other) => {
    const [first, second] = [one, other].map((value) => digestOf(`{"n":${value}}`));
    expect(first).toBe(second);
  });

  test("does not depend on the order of fields if a number is large", () => {
    const first = digestOf('{"a":9007199254740993,"b":9007199254740992}');
    expect(digestOf('{"b":9007199254740992,"a":9007199254740993}')).toBe(first);
    expect(digestOf('{"a":9007199254740992,"b":9007199254740993}')).not.toBe(first);
  });

  test("exists for a large body with large numbers", () => {
    const text = `"${"\\\\".repeat(200_000)}${"a".repeat(200_000)}"`;
    const lists = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const digits = "9".repeat(200_000);
    expect(
      digestOf(`{"t":${text},"l":${lists},"n":${digits},"m":0.${digits}e${digits}}`),
    ).toHaveLength(64);
  });

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
  ])("exists for every body that can be parsed: %s", (_, text) => {
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
  // An inbox recognises duplicates of what release 0.1.0 stored, so neither may ever change.
  // From another implementation, each as: printf '{}' | openssl dgst -sha256
  test.each<[name: string, data: Record<string, unknown>, digest: string]>([
    ["nothing", {}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    [
      // printf '{"a":[1,{"b":null,"c":true},[]],"z":{"é":"x y"}}'
      "lists, objects and every kind of value",
      { z: { é: "x y" }, a: [1, { c: true, b: null }, []] },
      "30ac8ee572debc0c861136873f4f60e83a4f255d942021ceafef4f59d84aef81",
    ],
  ])("has the same digest in every release: %s", (_, data, digest) => {
    expect(identity({ event: "a", data }).digest).toBe(digest);
  });

  test.each<[by: string, data: Record<string, unknown>, key: string]>([
    [
      // printf '["payment.completed","payment_id",71]'
      "a number for a payment_id",
      { payment_id: 71 },
      "2753f68140d885cf759f589dc21281bcf1865ea221ddddcac4a7c44d3a5240c0",
    ],
    [
      // printf '["payment.completed","payment_id","71"]'
      "a text for a payment_id",
      { payment_id: "71" },
      "2689709304b8a5d4d5296bf3d0aa27142ece08c638543547cc64d09b6df1a10b",
    ],
    [
      // printf '["payment.completed","raw","%s"]', with the digest of raw
      "the raw bytes",
      {},
      "79e8d298fb536e001fb03cc4a32414515d60c5eaaa9603c3e5746bb1c1c5fcc0",
    ],
  ])("has the same key in every release: by %s", (_, data, key) => {
    expect(identity({ event: "payment.completed", data }, "raw").key).toBe(key);
  });
});

describe("an event that release 0.1.0 stored", () => {
  const PAID = {
    reference: "PAY-71",
    status: "completed",
    amount: "100.00",
    currency: "KES",
    account_reference: "ORDER-17",
  };

  // Golden values, from another implementation: printf '["payment.completed","reference","PAY-71"]'
  // and printf '{"account_reference":"ORDER-17","amount":"100","currency":"KES","id":"PAY-71",
  // "status":"completed"}', each | openssl dgst -sha256
  test.each<[kind: string, data: object, parts: IdentityParts, key: string, digest: string]>([
    [
      "payment.completed",
      { ...PAID, payer_name: "A. Otieno" },
      {},
      "6c4a90b109a1dd6e3142b6e4a8ad55d108dcba4880b033cbed9a3852e4e66577",
      "0f13b57544564d0e034c7775b457e86ca703023dcac72bfee1ca8e5d7e81e1c5",
    ],
    [
      "payment.failed",
      { payment_id: 71, status: "failed", amount: 100.5, currency: "KES" },
      {},
      "21be5c48385013c7a8fb631ea7e1f97b5a88ffa7258437d3269462b83106d723",
      "5d0cd7ac7244a1e84d960a31af103f6953183cf4620691c2ed94645f133d287a",
    ],
    [
      "payment.completed",
      PAID,
      { merchant: "wanjiku" },
      "eb7bb8c6d104f456544d5b0c1a468bc06464305f493073ca74a3b7b7481207d0",
      "0f13b57544564d0e034c7775b457e86ca703023dcac72bfee1ca8e5d7e81e1c5",
    ],
    [
      "payment.completed",
      PAID,
      { identity: "PAY-71/1", merchant: "wanjiku" },
      "d263b57237f783de1c9327f7f08edf9849ea545b8e8ed3ed4f59a4855857a063",
      "0f13b57544564d0e034c7775b457e86ca703023dcac72bfee1ca8e5d7e81e1c5",
    ],
    [
      "invoice.paid",
      { total: "5.00", reference: "INV-1" },
      {},
      "51dfea45146118f66a62fea3025b5d7be868c7c6ff1a4b3a81965e2001bdcd07",
      "227b0fe8dc638958941d788c4aaa54aa6104af44ab638991827e859de2c43a4a",
    ],
    [
      "payment.initiated",
      { reference: "PAY-71", amount: "100" },
      {},
      "82a1d413c7b3328ecc14720ca26e6ade544d3c1c16337b54e6a5755848b4f17e",
      "34537ea50aac25db7dee62fcbf9514cf26d7b760b3c87c709f310e159bba52bc",
    ],
  ])("has the same key and digest in this one: %s %j %j", (kind, data, parts, key, digest) => {
    const text = JSON.stringify({ event: kind, data });
    expect(eventIdentity(readEvent(text), text, parts)).toMatchObject({ key, digest });
  });

  const COMPARED_BY_FIELDS = ["payment.initiated", "payment.completed", "payment.failed"];

  // A version that knows the kind runs beside one that does not: both must take the same digest.
  test.each(
    [...EVENT_KINDS, "payment.reversed"].filter((kind) => !COMPARED_BY_FIELDS.includes(kind)),
  )(
    "of any other kind is compared by its whole data, whether a version knows the kind or not: %s",
    (kind) => {
      const digestOf = (event: string, data: object) => identity({ event, data }).digest;
      expect(digestOf(kind, PAID)).toBe(digestOf("unknown", PAID));
      expect(digestOf(kind, { ...PAID, note: "a" })).not.toBe(digestOf(kind, PAID));
    },
  );

  test("is found by its former key after `merchant`, or `identify`, was added", () => {
    const text = JSON.stringify({ event: "payment.completed", data: PAID });
    const of = (parts: IdentityParts) => eventIdentity(readEvent(text), text, parts);
    const [merchant, identity] = ["wanjiku", "PAY-71/1"];
    expect(of({}).formerKey).toBe(undefined);
    expect(of({ merchant }).formerKey).toBe(of({}).key);
    expect(of({ identity }).formerKey).toBe(of({}).key);
    expect(of({ identity, merchant }).formerKey).toBe(of({ merchant }).key);
  });
});

describe("the digest of a payment", () => {
  const digestOf = (data: string) => {
    const text = `{"event":"payment.completed","data":{"reference":"PAY-71",${data}}}`;
    return eventIdentity(readEvent(text), text).digest;
  };

  test.each([
    ['"amount":"100.00"', '"amount":100'],
    ['"amount":"100.10"', '"amount":100.1'],
    ['"amount":9007199254740993', '"amount":"9007199254740993.00"'],
    ['"amount":"1","currency":null,"fee":1', '"amount":"1","account_reference":""'],
  ])("is the same for %s and %s", (one, other) => {
    expect(digestOf(one)).toBe(digestOf(other));
  });

  test.each([
    ['"amount":"100.00"', '"amount":"10000"'],
    ['"amount":9007199254740993', '"amount":9007199254740992'],
    ['"amount":"1e400"', '"amount":1e401'],
    ['"amount":"-1"', '"amount":"1"'],
    ['"amount":"1","account_reference":"A"', '"amount":"1","account_reference":["A"]'],
    ['"amount":"1","currency":"KES"', '"amount":"1","account_reference":"KES"'],
    ['"amount":null,"note":"a"', '"amount":"","note":"b"'],
  ])("differs for %s and %s", (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });
});

describe("the key of an event", () => {
  const names = fc.oneof(fc.string(), fc.constantFrom("1", "reference", '","', "a:b"), fc.nat());

  test("depends only on the kind and the reference", () => {
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

  test("uses the payment_id without a reference, and never mixes the two up", () => {
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

  test("uses the raw bytes without either, as text or as bytes", () => {
    const event = { event: "a", data: {} };
    const bytes = new TextEncoder().encode("raw");
    expect(eventIdentity({ event: event as never, text: "raw" }, bytes)).toEqual(
      identity(event, "raw"),
    );
    expect(identity(event, "raw2").key).not.toBe(identity(event, "raw").key);
  });
});
