import { type Gateway, InvalidParamsError } from "malipo";
import { describe, expect, test } from "vitest";
import { ROWS } from "../../support/endpoints.ts";
import { fc } from "../../support/properties.ts";
import { BASE_URL, gatewayWith, rejection } from "../support/gateway.ts";
import { json } from "../support/responses.ts";

const ANSWER = json({ success: true, data: { status: "pending" } });
const BASE_SEGMENTS = new URL(BASE_URL).pathname.split("/");

/** Calls with one path parameter, what it is called, and the segments of their paths. */
const CALLS = ROWS.flatMap(({ name, route, call }) => {
  const [, parameter] = /\{(\w+)\}/.exec(route) ?? [];
  if (parameter === undefined) return [];
  const segments = route.slice(1).split("/");
  const callWith = (gateway: Gateway, id: string) =>
    call(gateway, { reference: id, webhook: id, invoice: id });
  return [[name, parameter, segments, callWith] as const];
});

// Half of a surrogate pair is not a text.
const isText = (value: string) => !/\p{Surrogate}/u.test(value);

/** What parsers of addresses stumble over, and anything else. */
const identifier = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(..."./\\?#%@:;&=+ \t\r\n\0", "%2e", "%2f", "..", "a", "é", "🧾"),
  }),
);

describe.each(CALLS)("the path parameter of %s", (_, name, segments, call) => {
  test("never leaves its segment, and comes out as it went in", async () => {
    await fc.assert(
      fc.asyncProperty(identifier, async (id) => {
        fc.pre(isText(id) && !["", ".", ".."].includes(id));
        const { gateway, sent } = gatewayWith([ANSWER]);
        await call(gateway, id);
        const url = new URL(sent[0]?.url ?? "");
        const expected = segments.map((segment) => (segment.startsWith("{") ? id : segment));
        const received = url.pathname.split("/");
        expect(received.slice(0, BASE_SEGMENTS.length)).toEqual(BASE_SEGMENTS);
        expect(received.slice(BASE_SEGMENTS.length).map(decodeURIComponent)).toEqual(expected);
        expect([url.origin, url.search, url.hash]).toEqual([new URL(BASE_URL).origin, "", ""]);
      }),
    );
  });

  test.each([
    "",
    ".",
    "..",
    "\ud800",
    "a\udc00b",
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    {},
    ["PAY-1"],
  ])("may not be %j, and nothing is sent", async (value) => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    const error = await rejection(call(gateway, value as string));
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({
      code: "invalid_params",
      outcome: "not_sent",
      issues: [{ path: [name], message: expect.any(String) }],
    });
    expect(sent).toHaveLength(0);
  });

  test.each([
    [7, "7"],
    [0, "0"],
    ["...", "..."],
    ["..%2f..", "..%252f.."],
    ["%2e%2e", "%252e%252e"],
    ["../secret", "..%2Fsecret"],
    ["a?b#c", "a%3Fb%23c"],
    ["..\\..", "..%5C.."],
    [" .. ", "%20..%20"],
  ])("%j goes out as %s", async (value, segment) => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    await call(gateway, value as string);
    const path = segments.map((part) => (part.startsWith("{") ? segment : part)).join("/");
    expect(sent[0]?.url).toBe(`${BASE_URL}/${path}`);
  });
});

describe("a query", () => {
  const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean());

  test("comes out as it went in", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: "grapheme" }), fc.oneof(value, fc.array(value))),
        async (query) => {
          const { gateway, sent } = gatewayWith([json([])]);
          await gateway.payments.list(query);
          const url = new URL(sent[0]?.url ?? "");
          expect(url.origin + url.pathname).toBe(`${BASE_URL}/payments`);
          expect([...url.searchParams]).toEqual(
            Object.entries(query).flatMap(([name, given]) =>
              [given].flat().map((one) => [name, String(one)]),
            ),
          );
        },
      ),
    );
  });

  test.each([[null], [{}], [[["nested"]]], [new Date(0)], [() => 1], [Symbol("s")], [1n]])(
    "holds no %s, and nothing is sent",
    async (since) => {
      const { gateway, sent } = gatewayWith([json([])]);
      const error = await rejection(gateway.payments.list({ since: since as unknown as string }));
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(error).toMatchObject({ issues: [{ path: ["since"] }], outcome: "not_sent" });
      expect(sent).toHaveLength(0);
    },
  );
});
