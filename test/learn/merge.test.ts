import { describe, expect, test } from "vitest";
import { compareProfiles, isOfTwoServices } from "../../src/profile/compare-profiles.ts";
import { MERGE } from "../../src/profile/compare-shapes.ts";
import { mergeValues } from "../../src/profile/merge.ts";
import { formatProfile, parseProfile } from "../../src/profile/parse-profile.ts";
import { EMPTY_PROFILE, type ServiceProfile } from "../../src/profile/profile-types.ts";
import { fc } from "../support/properties.ts";
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
        expect(mergeValues(a, a)).toEqual(a);
      }),
      RUNS,
    );
  });

  test("a second time changes nothing", () => {
    fc.assert(
      fc.property(profiles(2), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE]) => {
        const once = mergeValues(a, b);
        expect(mergeValues(once, b)).toEqual(once);
      }),
      RUNS,
    );
  });

  test("is commutative and associative, to the byte", () => {
    fc.assert(
      fc.property(profiles(3), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE, c = EMPTY_PROFILE]) => {
        expect(formatProfile(mergeValues(a, b))).toBe(formatProfile(mergeValues(b, a)));
        expect(formatProfile(mergeValues(mergeValues(a, b), c))).toBe(
          formatProfile(mergeValues(a, mergeValues(b, c))),
        );
      }),
      RUNS,
    );
  });

  test("provides a profile that can be written and read", () => {
    fc.assert(
      fc.property(profiles(2), ([a = EMPTY_PROFILE, b = EMPTY_PROFILE]) => {
        const merged = mergeValues(a, b);
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
    const merged = mergeValues(mergeValues(late, early), other);
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
        expect(resumed.rejections).toEqual(whole.rejections);
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

  const places = (a: ServiceProfile, b: ServiceProfile) =>
    compareProfiles(a, b, MERGE).map(({ path }) => path);

  test("are told apart", () => {
    const [one, other] = [service("aaaaaaaa", "id", 1, 200), service("bbbbbbbb", "id", "x", 203)];
    expect(isOfTwoServices(one, other)).toBe(true);
    expect(compareProfiles(one, other, MERGE)).toContainEqual({
      path: "GET /invoices status",
      before: "200",
      after: "203",
    });
  });

  test("differ nowhere if they are of one service", () => {
    const [one, other] = [service("aaaaaaaa", "id", 1, 200), service("bbbbbbbb", "id", 2, 200)];
    expect(places(one, other)).toEqual([]);
    expect(isOfTwoServices(one, other)).toBe(false);
  });

  const payments = (run: string, data: object) => {
    const body = JSON.stringify({ success: true, data: { reference: "R", ...data } });
    const exchange = { method: "GET", path: "/payments/x", status: 200, headers: [], body };
    return learn(run, [{ exchange }, { exchange }]);
  };

  test("differ by a field that is always there in one and never in the other", () => {
    const [one, other] = [
      payments("aaaaaaaa", { fee: "1.00" }),
      payments("bbbbbbbb", { channel: "stk" }),
    ];
    expect(places(one, other)).toEqual([
      "GET /payments/{reference} data.channel",
      "GET /payments/{reference} data.fee",
    ]);
    expect(isOfTwoServices(one, other)).toBe(false);
  });

  test("do not differ by the documented fields of another status", () => {
    const [one, other] = [
      payments("aaaaaaaa", { status: "completed", transaction_id: "T", payer_name: "J" }),
      payments("bbbbbbbb", { status: "failed", failure_reason: "x", retry_possible: true }),
    ];
    expect(places(one, other)).toEqual([]);
  });
});
