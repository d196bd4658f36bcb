import { Gateway, type GatewayOptions } from "malipo";
import { describe, expect, test } from "vitest";
import { BASE_URL, gatewayWith, rejection } from "./support/gateway.ts";
import { json } from "./support/responses.ts";

// The key of another environment, which this gateway does not know.
const OTHER_KEY = "sk_live_otherSecret";

describe("a key that was pasted into the wrong place shows in no message", () => {
  const gateway = { apiKey: "sk_test_4f9a", baseUrl: BASE_URL };
  // biome-ignore format: a table is read across
  const OPTIONS: [string, Record<string, unknown>][] = [
    ["as the base URL", { ...gateway, baseUrl: OTHER_KEY }],
    ["as the host", { ...gateway, baseUrl: `http://${OTHER_KEY}.test` }],
    ["as the host of another scheme", { ...gateway, baseUrl: `ftp://${OTHER_KEY}` }],
    ["as the user of the base URL", { ...gateway, baseUrl: `https://${OTHER_KEY}@a.test` }],
    ["in the query of the base URL", { ...gateway, baseUrl: `https://a.test?key=${OTHER_KEY}` }],
    ["as an option's name", { ...gateway, [OTHER_KEY]: true }],
    ["as a hook's name", { ...gateway, hooks: { [OTHER_KEY]: () => {} } }],
    ["as auth", { ...gateway, auth: OTHER_KEY }],
    ["as timeoutMs", { ...gateway, timeoutMs: OTHER_KEY }],
    ["as maxRetries", { ...gateway, maxRetries: OTHER_KEY }],
    ["as maxResponseBytes", { ...gateway, maxResponseBytes: OTHER_KEY }],
    ["as fetch", { ...gateway, fetch: OTHER_KEY }],
    ["as idempotency", { ...gateway, idempotency: OTHER_KEY }],
    ["as a key of the wrong case", { ...gateway, apiKey: OTHER_KEY.toUpperCase() }],
  ];

  test.each(OPTIONS)("%s", (_, options) => {
    let message = "";
    try {
      new Gateway(options as GatewayOptions);
    } catch (error) {
      message = String((error as Error).stack);
    }
    expect(message).toContain("ConfigurationError");
    expect(message.toLowerCase()).not.toContain(OTHER_KEY.toLowerCase());
  });

  const CALLS: [string, (gateway: Gateway) => Promise<unknown>][] = [
    ["as a header's name", ({ merchant }) => merchant.get({ headers: { [`${OTHER_KEY} `]: "1" } })],
    ["as a call's option", ({ merchant }) => merchant.get({ [OTHER_KEY]: 1 } as object)],
    ["as a query's name", ({ payments }) => payments.list({ [OTHER_KEY]: {} } as never)],
    ["as a phone", ({ mobileMoney }) => mobileMoney.validatePhone(OTHER_KEY)],
    [
      "as a parameter's name",
      ({ mobileMoney }) =>
        mobileMoney.initiate({ amount: 1, phone: "", [`phone${OTHER_KEY}`]: 1 } as never),
    ],
    [
      "as a name in a request",
      (client) => client.request({ method: "GET", path: "/x", [OTHER_KEY]: 1 } as never),
    ],
  ];

  test.each(CALLS)("%s", async (_, call) => {
    const { gateway: client, sent } = gatewayWith([json({})]);
    const error = await rejection(call(client));
    expect(error.outcome).toBe("not_sent");
    expect(error.stack).not.toContain(OTHER_KEY);
    expect(JSON.stringify(error)).not.toContain(OTHER_KEY);
    expect(sent).toHaveLength(0);
  });
});

test.each(["timeout", "time_out", "max-retries", "retryLimit"])(
  "a misspelt option is named: %s",
  (name) => {
    const make = () => new Gateway({ [name]: 1 } as GatewayOptions);
    expect(make).toThrow(`Gateway has no option "${name}".`);
  },
);
