import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createObserver } from "../../src/learn/index.ts";
import { Recorder } from "../../src/learn/recorder.ts";
import { formatProfile, parseProfile } from "../../src/profile/parse-profile.ts";
import { isFieldName, isShapePath } from "../../src/profile/vocabulary/names.ts";
import { deepBodies } from "../support/deep-bodies.ts";

const RESPONSE = { method: "GET", path: "/merchant", status: 200, headers: [] } as const;

/** What is written of these responses, and of a delivery with the same bodies. */
function profileTextOf(bodies: readonly string[], more: object = {}): string {
  const recorder = new Recorder({ by: "observer" });
  for (const body of bodies) {
    recorder.record({ ...RESPONSE, ...more, body });
    const delivery = { event: "payment.completed", data: JSON.parse(body) };
    recorder.recordDelivery({
      headers: [],
      body: JSON.stringify(delivery),
      status: 200,
      receivedAt: 1,
    });
    recorder.recordDelivery({ headers: [], body, status: 200, receivedAt: 2 });
  }
  return formatProfile(recorder.profile());
}

test.each([0, 99, 101, 600, 1e9])("a response with the status %d teaches nothing", (status) => {
  const text = profileTextOf(["{}"], { status });
  expect(formatProfile(parseProfile(JSON.parse(text)))).toBe(text);
});

const INHERITED = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

describe.each(deepBodies("data"))("a body of %s that nests 50,000 levels deep", (_, body) => {
  test("teaches nothing, and ends nothing", () => {
    const recorder = new Recorder({ by: "observer" });
    const before = recorder.profile();
    for (const status of [200, 422]) recorder.record({ ...RESPONSE, status, body });
    expect(recorder.profile()).toEqual(before);
    recorder.recordDelivery({ headers: [], body, status: 200, receivedAt: 1 });
    expect(recorder.profile().events).toEqual({});
  });
});

test("a body with 50,000 names teaches nothing", () => {
  const names = Array.from({ length: 50_000 }, (_, at) => [`amount_${at}`, 1]);
  const recorder = new Recorder({ by: "observer" });
  const before = recorder.profile();
  recorder.record({ ...RESPONSE, body: JSON.stringify(Object.fromEntries(names)) });
  expect(recorder.profile()).toEqual(before);
});

describe("a profile that was learned from hostile bodies", () => {
  test.each(INHERITED)("can be read if %s is a key anywhere", (key) => {
    const bodies = [
      `{"${key}":{"x":1}}`,
      `{"data":{"${key}":{"x":[{"${key}":1}]}}}`,
      `{"event":"${key}","data":{}}`,
    ];
    const text = profileTextOf(bodies);
    expect(text).not.toContain(key);
    expect(formatProfile(parseProfile(JSON.parse(text)))).toBe(text);
  });

  test("can be read if a header or a parameter has the name of a property of every object", () => {
    const recorder = new Recorder({ by: "observer" });
    const query = new URLSearchParams(INHERITED.map((name) => [name, "1"]));
    const headers = INHERITED.map((name) => [name, "1"] as const);
    recorder.record({ ...RESPONSE, path: "/payments", headers, query, body: "[]" });
    const text = formatProfile(recorder.profile());
    expect(formatProfile(parseProfile(JSON.parse(text)))).toBe(text);
  });

  test.each([
    ["a key", `{"sk_zz_top12":{"a":1}}`, "sk_zz"],
    ["a name that is a value beside it", `{"id":1,"wanjiku":{"name":"Wanjiku Njeri"}}`, "wanjiku"],
    ["the only name in an object", `{"balances":{"wanjiku":5}}`, "wanjiku"],
    ["names of a map", `{"balances":{"wanjiku":5,"otieno":7}}`, "otieno"],
    ["a numbered order", `{"id":1,"order-7":{"a":1}}`, "order-7"],
    ["a numbered invoice", `{"id":1,"INV-1":{"a":1}}`, "INV-1"],
    ["a receipt of letters only", `{"id":1,"QGRKLMNO":true}`, "QGRKLMNO"],
    ["a name as a status", `{"status":"wanjiku"}`, "wanjiku"],
    ["a name as a kind of event", `{"event":"wanjiku.njeri","data":{}}`, "njeri"],
    ["an amount in a field that limits", `{"data":[{"id":1}],"limit":4321}`, "4321"],
  ])("does not hold %s", (_, body, canary) => {
    expect(profileTextOf([body], { path: "/payments" })).not.toContain(canary);
  });

  test("does not hold a key of the body that is part of the path", () => {
    const recorder = new Recorder({ by: "observer" });
    const body = `{"id":1,"kamau":{"amount":1}}`;
    recorder.record({ ...RESPONSE, path: "/payments/kamau", body });
    expect(formatProfile(recorder.profile())).not.toContain("kamau");
  });

  test.each(["x-customer-wanjiku", "x-wanjiku", "x-account-otieno-njeri"])(
    "does not hold the header name %s",
    (name) => {
      const headers = [[name, "1"]];
      expect(profileTextOf(["{}"], { headers })).not.toContain(name.split("-").at(-1));
    },
  );

  test("holds none of sixty names that one place had, one in each response", () => {
    const names = Array.from(
      { length: 60 },
      (_, n) => `rate_${"abcdefghij"[n % 10]}${"klmnopq"[Math.floor(n / 10)]}`,
    );
    const bodies = names.map((name) => JSON.stringify({ data: { id: 1, [name]: { net: 1 } } }));
    const text = profileTextOf(bodies);
    expect(text).toContain('"data.*.net"');
    expect(names.filter((name) => text.includes(name))).toEqual([]);
    expect(formatProfile(parseProfile(JSON.parse(text)))).toBe(text);
  });

  test("holds the names that services use", () => {
    const body = {
      CheckoutRequestID: "ws_1",
      ResultDesc: "x",
      page_info: { hasNext: true },
      msisdn: "2",
    };
    const text = profileTextOf([JSON.stringify(body)], { headers: [["x-acme-request-id", "1"]] });
    for (const name of [...Object.keys(body), "hasNext", "x-acme-request-id"]) {
      expect(text).toContain(name);
    }
  });
});

describe("a profile file that was tampered with", () => {
  const file = (shape: object) => ({
    ...JSON.parse(profileTextOf(["{}"])),
    endpoints: { "GET /merchant": { "200": { headers: {}, body: shape } } },
  });

  test.each(["constructor.x", "__proto__.x", "a.constructor", "toString"])(
    "is rejected in a full sentence for the path %s",
    (path) => {
      const shape = JSON.parse(`{"$":{"types":["object"]},"${path}":{"types":["string"]}}`);
      expect(() => parseProfile(file(shape))).toThrow(/is not a service profile that malipo wrote/);
    },
  );

  test("is rejected in a full sentence if it is nested 3,000 objects deep", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`);
    expect(() => parseProfile(file(deep))).toThrow(/is not a service profile/);
    expect(() => parseProfile({ ...file({}), lists: deep })).toThrow(/is not a service profile/);
  });

  test("is read if it was written: each part of a name may begin with a sign", () => {
    for (const name of ["A/$0", "v1/@type", "_links/_self", "v1/transaction"]) {
      expect([name, isFieldName(name), isShapePath(`data.${name}`)]).toEqual([name, true, true]);
    }
  });

  test("is checked in time that grows with its length", () => {
    // The square of this length takes longer than the limit of a test.
    expect(isShapePath(`a${"[]".repeat(1_000_000)}!`)).toBe(false);
  });
});

describe("an observer whose file cannot be read", () => {
  test.each(["not JSON", '{"version":99}', '{"name":"shop"}'])(
    "reports it, starts without it, and saves beside it: %s",
    async (content) => {
      const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
      onTestFinished(() => warn.mockRestore());
      const folder = mkdtempSync(join(tmpdir(), "malipo-observer-"));
      const path = join(folder, "malipo.service.json");
      writeFileSync(path, content);
      const observer = createObserver({ file: path });
      await observer.save();
      expect(String(warn.mock.calls[0]?.[0])).toMatch(/saves to .*malipo\.service\.new\.json/);
      expect(readFileSync(path, "utf8")).toBe(content);
      expect(readdirSync(folder).sort()).toEqual([
        "malipo.service.json",
        "malipo.service.new.json",
      ]);
    },
  );
});
