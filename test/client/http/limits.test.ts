import { ConfigurationError, Gateway, type GatewayOptions } from "malipo";
import { describe, expect, test } from "vitest";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { BASE_URL, gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { json } from "../support/responses.ts";

const NO_MS = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "1000", null, true, 5n, {}];
const NO_COUNT = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "2", null, true, 2n, {}];
const WRONG = [
  ...NO_MS.map((value) => ["timeoutMs", value] as const),
  ...NO_MS.map((value) => ["totalTimeoutMs", value] as const),
  ...NO_COUNT.map((value) => ["maxRetries", value] as const),
];
const RIGHT = [
  ["timeoutMs", 1_500.5],
  ["timeoutMs", 2 ** 31 - 1],
  ["totalTimeoutMs", 1_000],
  ["totalTimeoutMs", 2 ** 31 - 1],
  ["maxRetries", 0],
  ["maxRetries", 100],
] as const;

/** Options as someone without a compiler may write them. */
const options = (given: Record<string, unknown>) => given as GatewayOptions;

describe("a limit of the gateway", () => {
  test.each(WRONG)("%s is not %s", (name, value) => {
    const make = () =>
      new Gateway({ apiKey: KEYS.secret, baseUrl: BASE_URL, ...options({ [name]: value }) });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`\`${name}\` must be`);
  });

  test.each(RIGHT)("%s may be %d", (name, value) => {
    expect(() => gatewayWith([], { [name]: value })).not.toThrow();
  });
});

describe("an option of a call", () => {
  test.each(WRONG)("%s is not %s, and nothing is sent", async (name, value) => {
    const { gateway, sent } = gatewayWith([json({})]);
    const error = await rejection(gateway.merchant.get(options({ [name]: value })));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: "not_sent" });
    expect(error.message).toContain(`\`${name}\``);
    expect(sent).toHaveLength(0);
  });

  test.each(RIGHT)("%s may be %d", async (name, value) => {
    const { gateway } = gatewayWith([json({ data: { id: 1 } })]);
    await expect(gateway.merchant.get({ timeoutMs: 5_000, [name]: value })).resolves.toEqual({
      id: 1,
    });
  });

  test("that does not exist is rejected by every method, by name, and nothing is sent", async () => {
    for (const row of ROWS) {
      const { gateway, sent } = gatewayWith([json({})]);
      const error = await rejection(row.call(gateway, IDS, options({ retries: 3 })));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain('"retries"');
      expect(error.message).toContain("maxRetries");
      expect(sent).toHaveLength(0);
    }
  });

  test("is rejected by gateway.request too", async () => {
    const { gateway, sent } = gatewayWith([json({})]);
    const request = { method: "GET", path: "/reports" } as const;
    const error = await rejection(gateway.request(request, options({ timeout: 3 })));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(sent).toHaveLength(0);
  });

  test("that is undefined is as if it were not given", async () => {
    const { gateway } = gatewayWith([json({ data: { id: 1 } })]);
    const none = {
      signal: undefined,
      timeoutMs: undefined,
      totalTimeoutMs: undefined,
      maxRetries: undefined,
      headers: undefined,
    };
    await expect(gateway.merchant.get(none)).resolves.toEqual({ id: 1 });
  });
});

describe("the headers of a call", () => {
  test("go out beside the client's own", async () => {
    const { gateway, sent } = gatewayWith([json({ data: {} })]);
    await gateway.invoices.create(
      {},
      { headers: { "X-Trace-Id": "t_1", "accept-language": "sw" } },
    );
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
      accept: "application/json",
      "accept-language": "sw",
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^malipo\//),
      "x-api-key": KEYS.secret,
      "x-trace-id": "t_1",
    });
  });

  test.each([
    ["x-api-key", "x-api-key", "sk_other_1", KEYS.secret],
    ["x-api-key", "X-Api-Key", "", KEYS.secret],
    ["bearer", "Authorization", "Bearer sk_other_1", `Bearer ${KEYS.secret}`],
    ["bearer", "AUTHORIZATION", "", `Bearer ${KEYS.secret}`],
  ] as const)(
    "cannot replace the key's header: by %s, %s: %j",
    async (auth, name, value, sends) => {
      const { gateway, sent } = gatewayWith([json({ data: {} })], { auth });
      await gateway.merchant.get({ headers: { [name]: value } });
      expect(sent[0]?.headers.get(name)).toBe(sends);
    },
  );

  test.each([
    ["a line end in a value", { "x-trace": "a\r\nx-evil: 1" }],
    ["a bare line feed", { "x-trace": "a\nb" }],
    ["a null character", { "x-trace": "a\u0000b" }],
    ["a letter that no header carries", { "x-trace": "s\u0113cret" }],
    ["a line end in a name", { "x-trace\r\nx-evil": "1" }],
    ["a space in a name", { "x trace": "1" }],
    ["a colon in a name", { "x-trace:": "1" }],
    ["no name", { "": "1" }],
  ])("are rejected with %s, and nothing is sent", async (_, headers) => {
    const { gateway, sent } = gatewayWith([json({})]);
    const error = await rejection(gateway.merchant.get({ headers }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
    // A value may be a secret.
    for (const value of Object.values(headers)) {
      if (value.length > 1) expect(error.message).not.toContain(value);
    }
    expect(sent).toHaveLength(0);
  });

  test("of one call are not those of the next", async () => {
    const { gateway, sent } = gatewayWith([json({ data: {} })]);
    await gateway.merchant.get({ headers: { "x-trace-id": "t_1" } });
    await gateway.merchant.get();
    expect(sent.map(({ headers }) => headers.get("x-trace-id"))).toEqual(["t_1", null]);
  });
});
