import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProfileFile } from "../../src/learn/profile-file.ts";
import { formatProfile, parseProfile } from "../../src/profile/parse-profile.ts";
import type { ServiceProfile } from "../../src/profile/profile-types.ts";
import { learn } from "./support/exchanges.ts";

// Names of the format of a profile. A service may give them to its own fields, headers, events and
// parameters.
const NAMES = [
  ...["body", "values", "formats", "states", "by", "same", "optional", "redeliveries"],
  ...["seen", "types", "headers", "events", "parameters", "accepted", "runs", "version"],
];

const value = { amount: "1.00", status: "paid" };

describe.each(NAMES)("a service that calls something %s", (name) => {
  test.each<[string, unknown, [string, string][], string]>([
    ["a field of a body", { success: true, [name]: value, data: { x: 1 } }, [], "a.b"],
    ["a field inside a body", { success: true, data: { [name]: [value] } }, [], "a.b"],
    ["a field whose value is a list", { [name]: [1, "two"], data: [] }, [], "a.b"],
    ["a header", { success: true }, [[name.toLowerCase(), "1"]], "a.b"],
    ["a kind of event", { success: true }, [], name],
  ])("has a profile that is read back as it was, for %s", (_, body, headers, event) => {
    const exchange = { method: "GET", path: "/merchant", status: 200, headers };
    const rejected = { ...exchange, path: "/payments/x", status: 404 };
    const delivery = {
      headers,
      status: 200,
      receivedAt: 1,
      body: JSON.stringify({ event, data: { [name]: 1 } }),
    };
    const profile = learn("aaaaaaaa", [
      { exchange: { ...exchange, body: JSON.stringify(body) } },
      { exchange: { ...exchange, body: JSON.stringify({ success: true }) } },
      { exchange: { ...rejected, body: JSON.stringify(body) } },
      { delivery },
    ]);
    expect(parseProfile(JSON.parse(formatProfile(profile)))).toEqual(profile);
  });

  test("has a profile that is read back as it was, for a parameter of a list", () => {
    const seen = { aaaaaaaa: 1 };
    const base = learn("aaaaaaaa", []);
    const lists = { "GET /payments": { parameters: { [name]: { works: seen } } } };
    const profile: ServiceProfile = { ...base, lists };
    expect(parseProfile(JSON.parse(formatProfile(profile)))).toEqual(profile);
  });
});

describe("a profile that could not be read again", () => {
  test("is not written, and the file stays as it was", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "malipo-")), "malipo.service.json");
    writeFileSync(path, "{}");
    const broken = { ...learn("aaaaaaaa", []), timestamps: { "no form": { aaaaaaaa: 1 } } };
    await expect(async () => writeProfileFile(path, broken)).rejects.toThrow(
      "What was learned is not a service profile",
    );
    expect(readFileSync(path, "utf8")).toBe("{}");
  });
});

const STORED = new URL("stored-data/", import.meta.url);

describe("a profile that release 0.1.0 wrote", () => {
  test.each(readdirSync(STORED))("is read, and written as it was: %s", (file) => {
    const text = readFileSync(new URL(file, STORED), "utf8");
    const stored: unknown = JSON.parse(text);
    expect(JSON.parse(formatProfile(parseProfile(stored)))).toEqual(stored);
  });
});
