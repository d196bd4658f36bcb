import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findContradictions, isOfTwoServices } from "../../src/profile/contradictions.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { formatProfile, parseProfile } from "../../src/profile/parse.ts";
import { EMPTY_PROFILE } from "../../src/profile/types.ts";
import { learn, seen } from "./support/exchanges.ts";

const some = fc.array(seen(), { maxLength: 6 });
const runs = fc.constantFrom("aaaaaaaa", "bbbbbbbb", "cccccccc");
/** Profiles that may be of the same run: then one of them is an earlier state of the other. */
const profiles = (count: number) =>
  fc
    .record({
      history: some,
      parts: fc.array(fc.tuple(runs, fc.nat(6)), { minLength: count, maxLength: count }),
    })
    .map(({ history, parts }) =>
      parts.map(([run, length]) => learn(run, history.slice(0, length))),
    );

const RUNS = { numRuns: 60 };

describe("merge", () => {
  test("of a profile with itself is the profile", () => {
    fc.assert(
      fc.property(profiles(1), ([a = EMPTY_PROFILE]) => {
        expect(mergeProfiles(a, a)).toEqual(a);
      }),
      RUNS,
    );
  });

  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(profiles(2), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE]) => {
        const once = mergeProfiles(a, b);
        expect(mergeProfiles(once, b)).toEqual(once);
      }),
      RUNS,
    );
  });

  test("is commutative and associative, to the byte", () => {
    fc.assert(
      fc.property(profiles(3), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE, c = EMPTY_PROFILE]) => {
        expect(formatProfile(mergeProfiles(a, b))).toBe(formatProfile(mergeProfiles(b, a)));
        expect(formatProfile(mergeProfiles(mergeProfiles(a, b), c))).toBe(
          formatProfile(mergeProfiles(a, mergeProfiles(b, c))),
        );
      }),
      RUNS,
    );
  });

  test("gives a profile that can be written and read", () => {
    fc.assert(
      fc.property(profiles(2), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE]) => {
        const merged = mergeProfiles(a, b);
        expect(parseProfile(JSON.parse(formatProfile(merged)))).toEqual(merged);
      }),
      RUNS,
    );
  });

  test("adds the counts of two runs, and takes the larger count of one run", () => {
    const merchant = (times: number) =>
      Array.from({ length: times }, () => ({
        exchange: {
          method: "GET",
          path: "/merchant",
          status: 200,
          headers: [],
          body: '{"data":{"name":"A"}}',
        },
      }));
    const [early, late, other] = [
      learn("aaaaaaaa", merchant(2)),
      learn("aaaaaaaa", merchant(5)),
      learn("bbbbbbbb", merchant(3)),
    ];
    const merged = mergeProfiles(mergeProfiles(late, early), other);
    expect(merged.endpoints["GET /merchant"]?.["200"]?.body["data.name"]?.types.string).toEqual({
      aaaaaaaa: 5,
      bbbbbbbb: 3,
    });
  });
});

describe("a run that goes on with its file", () => {
  test("learns the same as a run without a pause", () => {
    fc.assert(
      fc.property(some, some, (first, second) => {
        const resumed = learn("aaaaaaaa", second, learn("aaaaaaaa", first));
        const whole = learn("aaaaaaaa", [...first, ...second]);
        // What is only in memory, such as the last page of a list, ends with a process.
        expect(resumed.endpoints).toEqual(whole.endpoints);
        expect(resumed.refusals).toEqual(whole.refusals);
        expect(resumed.runs).toEqual(whole.runs);
      }),
      RUNS,
    );
  });
});

describe("profiles of two services", () => {
  const service = (run: string, field: string, id: unknown, status: number) =>
    learn(
      run,
      ["/merchant", "/payments/x", "/invoices/x", "/payments", "/invoices"].map((path) => ({
        exchange: {
          method: "GET",
          path,
          status,
          headers: [],
          body: JSON.stringify({ [field]: id, status: 1, name: id }),
        },
      })),
    );

  test("contradict each other", () => {
    const merged = mergeProfiles(
      service("aaaaaaaa", "id", 1, 200),
      service("bbbbbbbb", "id", "x", 203),
    );
    expect(isOfTwoServices(merged)).toBe(true);
    expect(findContradictions(merged).contradictions[0]).toEqual({
      place: "GET /invoices status",
      found: "200; 203",
    });
  });

  test("do not contradict each other where they are of one service", () => {
    const merged = mergeProfiles(
      service("aaaaaaaa", "id", 1, 200),
      service("bbbbbbbb", "id", 2, 200),
    );
    expect(findContradictions(merged).contradictions).toEqual([]);
    expect(isOfTwoServices(merged)).toBe(false);
  });

  const payments = (run: string, data: object) =>
    learn(
      run,
      [
        ["GET", "/payments/x"],
        ["POST", "/mobile-money/payment/status"],
      ].flatMap(([method = "", path = ""]) => {
        const body = JSON.stringify({ success: true, data: { reference: "R", ...data } });
        const exchange = { method, path, status: 200, headers: [], body };
        return [{ exchange }, { exchange }];
      }),
    );

  test("have fields that are always there in one and never in the other, named by object", () => {
    const merged = mergeProfiles(
      payments("aaaaaaaa", { fee: "1.00", net: "2.00" }),
      payments("bbbbbbbb", { channel: "stk" }),
    );
    expect(findContradictions(merged).contradictions).toEqual([
      { place: "GET /payments/{reference} 200 fields of data", found: "channel; fee or net" },
      {
        place: "POST /mobile-money/payment/status 200 fields of data",
        found: "channel; fee or net",
      },
    ]);
    expect(isOfTwoServices(merged)).toBe(false);
  });

  test("do not contradict each other by the documented fields of another status", () => {
    const merged = mergeProfiles(
      payments("aaaaaaaa", { status: "completed", transaction_id: "T", payer_name: "J" }),
      payments("bbbbbbbb", { status: "failed", failure_reason: "x", retry_possible: true }),
    );
    expect(findContradictions(merged).contradictions).toEqual([]);
  });

  test("do not contradict each other by a field that only one response lacked", () => {
    const once = learn("bbbbbbbb", [
      {
        exchange: { method: "GET", path: "/merchant", status: 200, headers: [], body: '{"id":1}' },
      },
    ]);
    const exchange = { method: "GET", path: "/merchant", status: 200, headers: [] };
    const twice = learn("aaaaaaaa", [
      { exchange: { ...exchange, body: '{"id":1,"name":"a"}' } },
      { exchange: { ...exchange, body: '{"id":1,"name":"a"}' } },
    ]);
    expect(findContradictions(mergeProfiles(once, twice)).contradictions).toEqual([]);
  });
});
