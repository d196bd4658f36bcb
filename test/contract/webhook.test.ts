import { describe, expect, test } from "vitest";
import { EVENT_KINDS } from "../../src/contract/events.ts";
import type { Schema } from "../../src/contract/schema.ts";
import { webhookChanges, webhookRegistration } from "../../src/contract/webhook.ts";
import { fc } from "../support/properties.ts";

const SHOP = {
  name: "shop",
  url: "https://shop.example/webhooks",
  events: ["payment.completed", "payment.failed"],
};

/** The parsed value, or the paths of the issues. */
function check(schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : result.error.issues.map(({ path }) => path.join("."));
}

// A registration and a change have the same fields. A change may leave out any of them.
const SCHEMAS = [
  ["registration", (fields: object) => check(webhookRegistration, { ...SHOP, ...fields }), SHOP],
  ["change", (fields: object) => check(webhookChanges, fields), {}],
] as const;

describe.each(SCHEMAS)("the url of a %s", (_, checkFields, base) => {
  test.each([
    "https://shop.example",
    "https://shop.example:8443/hooks?shop=7",
    "http://localhost:3000/hooks",
    "http://127.0.0.1:3000",
    "http://[::1]:3000",
    "http://shop.localhost",
  ])("may be %s", (url) => {
    expect(checkFields({ url })).toEqual({ ...base, url });
  });

  test.each([
    "http://shop.example",
    "http://localhost.shop.example",
    "http://10.0.0.1",
    "ftp://shop.example",
    "javascript:alert(1)",
    "//shop.example",
    "/hooks",
    "shop.example",
    "https://",
    "",
    7,
    null,
  ])("may not be %s", (url) => {
    expect(checkFields({ url })).toEqual(["url"]);
  });

  test("must be https:", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["http", "https"] }), (url) => {
        expect(checkFields({ url })).toEqual(url.startsWith("https:") ? { ...base, url } : ["url"]);
      }),
    );
  });
});

describe.each(SCHEMAS)("the events of a %s", (_, checkFields, base) => {
  test.each([{ events: [...EVENT_KINDS] }, { events: ["payment.reversed"] }, { events: [] }])(
    "may be %j",
    ({ events }) => {
      expect(checkFields({ events })).toEqual({ ...base, events });
    },
  );

  test.each([
    ["payment.completed", "events"],
    [null, "events"],
    [{}, "events"],
    [[""], "events.0"],
    [["payment.completed", 7], "events.1"],
    [["payment.completed", null, ""], "events.1 events.2"],
  ])("may not be %j", (events, paths) => {
    expect(checkFields({ events })).toEqual(paths.split(" "));
  });

  test("may be any non-empty strings, because the service may add kinds", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (events) => {
        const empty = events.flatMap((event, at) => (event === "" ? [`events.${at}`] : []));
        expect(checkFields({ events })).toEqual(empty.length > 0 ? empty : { ...base, events });
      }),
    );
  });
});

test("a registration needs name and url, and may leave out events", () => {
  expect(check(webhookRegistration, {})).toEqual(["name", "url"]);
  const { name, url } = SHOP;
  expect(check(webhookRegistration, { name, url })).toEqual({ name, url });
});

test("a change may have any fields, undocumented fields, or none", () => {
  expect(check(webhookChanges, {})).toEqual({});
  expect(check(webhookChanges, { name: "till", active: false })).toEqual({
    name: "till",
    active: false,
  });
});

test.each([undefined, null, "x", []])("%j is neither a registration nor a change", (body) => {
  expect(check(webhookRegistration, body)).toEqual([""]);
  expect(check(webhookChanges, body)).toEqual([""]);
});
