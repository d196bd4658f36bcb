import { describe, expect, test } from "vitest";
import { formatProfile, parseProfile } from "../../src/profile/parse-profile.ts";
import type { ServiceProfile } from "../../src/profile/profile-types.ts";
import { learn } from "./support/exchanges.ts";

const body = JSON.stringify({ success: true, data: { name: "Shop", amount: "1.00" } });
const profile = learn("aaaaaaaa", [
  { exchange: { method: "GET", path: "/merchant", status: 200, headers: [], body } },
]);

/** The profile after a change by hand. */
function edited(change: (copy: { [key: string]: never }) => void): unknown {
  const copy = JSON.parse(formatProfile(profile));
  change(copy);
  return copy;
}

const merchant = (copy: unknown) =>
  (copy as ServiceProfile).endpoints["GET /merchant"]?.["200"] as unknown as {
    body: Record<string, Record<string, unknown>>;
    headers: Record<string, unknown>;
  };

const countsOf = (copy: unknown) =>
  Object.values((copy as { runs: Record<string, { counts: number[] }> }).runs)[0]?.counts ?? [];

describe("the file of a profile", () => {
  test("is sorted, ends with a line break, and is read back as it was", () => {
    const text = formatProfile(profile);
    expect(text.endsWith("}\n")).toBe(true);
    expect(parseProfile(JSON.parse(text))).toEqual(profile);
    const keys = Object.keys(JSON.parse(text));
    const parts = keys.slice(1, -1);
    expect([keys[0], keys.at(-1)]).toEqual(["version", "runs"]);
    expect(parts).toEqual([...parts].sort());
  });

  test("has one line for each place of a body, so that a change of one is one line in a diff", () => {
    expect(formatProfile(profile)).toContain(
      '"data.amount": { "formats": ["decimal2"], "types": ["string"] }',
    );
  });

  test("changes only in its runs if the same service is seen again", () => {
    const exchange = { method: "GET", path: "/merchant", status: 200, headers: [], body };
    const again = learn("bbbbbbbb", [{ exchange }, { exchange }, { exchange }], profile);
    const [before, after] = [profile, again].map((one) => formatProfile(one).split('  "runs"')[0]);
    expect(after).toBe(before);
  });
});

describe("what is not a profile", () => {
  test.each([
    ["a text", "profile", "is not a service profile"],
    ["a list", [], "is not a service profile"],
    ["null", null, "is not a service profile"],
    ["an object without a version", {}, "is not a service profile"],
    ["only a version", { version: 2 }, "is not a service profile that malipo wrote"],
  ])("%s is rejected", (_, value, message) => {
    expect(() => parseProfile(value, "shop.json")).toThrow(`shop.json ${message}`);
  });

  test.each(["100", "101", "199", "600"])("a response with the status %s", (status) => {
    const wrong = edited((copy) => {
      const [response] = Object.values(
        (copy as unknown as ServiceProfile).endpoints["GET /merchant"] ?? {},
      );
      Object.assign(copy, { endpoints: { "GET /merchant": { [status]: response } } });
    });
    expect(() => parseProfile(wrong, "shop.json")).toThrow(
      "expected only statuses from 200 to 599",
    );
  });

  test("another version is rejected with what to do", () => {
    expect(() => parseProfile({ ...profile, version: 1 }, "shop.json")).toThrow(
      "shop.json has the version 1; this release of malipo reads version 2. Update malipo, or make the profile again with `npx malipo probe`.",
    );
  });

  test.each<[string, (copy: { [key: string]: never }) => void, string]>([
    [
      "a count below 0",
      (copy) => Object.assign(countsOf(copy), { 0: -1 }),
      "expected a whole number",
    ],
    [
      "a field that was there more often than its object",
      (copy) =>
        // The response, the body, `data`, `data.amount` and then `data.name`.
        Object.assign(countsOf(copy), { [countsOf(copy).length - 2]: 9 }),
      '"data.name" was seen 9 times in 1 objects',
    ],
    ["a field of nothing", (copy) => delete merchant(copy).body.data, "do not fit its places"],
    [
      "a value beside the shapes",
      (copy) => Object.assign(merchant(copy).body["data.name"] ?? {}, { example: "Wanjiku" }),
      "expected only types, formats, values",
    ],
    [
      "a format that does not exist",
      (copy) => Object.assign(merchant(copy).body["data.name"] ?? {}, { formats: ["Wanjiku"] }),
      "expected the name of a format",
    ],
    [
      "a status that is not a word",
      (copy) => Object.assign(merchant(copy).body["data.name"] ?? {}, { values: ["254712345678"] }),
      "expected a status",
    ],
    [
      "an endpoint that cannot be one",
      (copy) => Object.assign(copy.endpoints ?? {}, { merchant: {} }),
      "expected only endpoints",
    ],
    ["a further part", (copy) => Object.assign(copy, { notes: {} }), "expected only version"],
  ])("%s is rejected", (_, change, message) => {
    expect(() => parseProfile(edited(change), "shop.json")).toThrow(message);
  });
});
