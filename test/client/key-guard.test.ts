import { ConfigurationError, Gateway, type GatewayOptions, KeyTypeError } from "malipo";
import { afterEach, describe, expect, test, vi } from "vitest";
import { IDS, minimalBody, ROWS } from "../support/endpoints.ts";
import { BASE_URL, gatewayWith, KEYS, rejection } from "./support/gateway.ts";
import { json, script } from "./support/responses.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const READS = ROWS.filter(({ open }) => open === "to public keys");
const WRITES = ROWS.filter(({ open }) => open === "only to secret keys");

/** A gateway made in a place in which a customer can read the code. */
function inBrowser(options: GatewayOptions): Gateway {
  vi.stubGlobal("process", { env: {}, versions: {} });
  vi.stubGlobal("document", {});
  try {
    return new Gateway({ baseUrl: BASE_URL, ...options });
  } finally {
    vi.unstubAllGlobals();
  }
}

async function expectRejection(call: Promise<unknown>, holds: string): Promise<void> {
  const error = await rejection(call);
  expect(error).toBeInstanceOf(KeyTypeError);
  expect(error).toMatchObject({ code: "key_type", outcome: "not_sent" });
  expect(error.message).toContain("requires a secret key");
  expect(error.message).toContain(`this gateway has ${holds}.`);
}

test("eight calls are open to public keys, and ten only to secret keys", () => {
  expect([READS.length, WRITES.length]).toEqual([8, 10]);
});

describe("a public key", () => {
  test.each(WRITES)("may not call $name, and no byte is sent", async (row) => {
    const { gateway, sent } = gatewayWith([json({})], { apiKey: KEYS.public });
    await expectRejection(row.call(gateway, IDS), "a public key");
    expect(sent).toHaveLength(0);
  });

  test.each(READS)("may call $name", async (row) => {
    const { gateway, sent } = gatewayWith([json(minimalBody(row))], { apiKey: KEYS.public });
    await row.call(gateway, IDS);
    expect(sent).toHaveLength(1);
  });

  test("is rejected before the parameters are checked", async () => {
    const { gateway } = gatewayWith([json({})], { apiKey: KEYS.public });
    await expectRejection(gateway.mobileMoney.initiate({ amount: -1, phone: "x" }), "a public key");
  });

  test("is rejected also with dangerouslyAllowBrowser", async () => {
    const { gateway, sent } = gatewayWith([json({})], {
      apiKey: KEYS.public,
      dangerouslyAllowBrowser: true,
    });
    await expectRejection(gateway.invoices.create({}), "a public key");
    expect(sent).toHaveLength(0);
  });
});

describe.each(["secret", "sandbox"] as const)("a %s key", (kind) => {
  test.each(ROWS)("may call $name", async (row) => {
    const { gateway, sent } = gatewayWith([json(minimalBody(row))], { apiKey: KEYS[kind] });
    await row.call(gateway, IDS);
    expect(sent).toHaveLength(1);
  });
});

describe("in a browser", () => {
  test("a secret key is rejected by the constructor", () => {
    expect(() => inBrowser({ apiKey: KEYS.secret })).toThrow(ConfigurationError);
    expect(() => inBrowser({ apiKey: KEYS.secret })).toThrow(
      "secret key must not be used in a browser",
    );
  });

  test("a secret key is accepted with dangerouslyAllowBrowser", async () => {
    const { fetch, sent } = script(json({ data: {} }));
    const options = { apiKey: KEYS.secret as string, fetch, dangerouslyAllowBrowser: true };
    await inBrowser(options).invoices.create({});
    expect(sent).toHaveLength(1);
  });

  test.each(["public", "sandbox"] as const)(
    "a %s key may make only the eight reads",
    async (kind) => {
      for (const row of ROWS) {
        const { fetch, sent } = script(json(minimalBody(row)));
        const call = row.call(inBrowser({ apiKey: KEYS[kind], fetch }), IDS);
        if (row.open === "to public keys") {
          await call;
          expect(sent).toHaveLength(1);
        } else {
          await expectRejection(
            call,
            kind === "public" ? "a public key" : "a sandbox key in a browser",
          );
          expect(sent).toHaveLength(0);
        }
      }
    },
  );

  test("a sandbox key may make every call with dangerouslyAllowBrowser", async () => {
    for (const row of ROWS) {
      const { fetch, sent } = script(json(minimalBody(row)));
      const options = { apiKey: KEYS.sandbox as string, fetch, dangerouslyAllowBrowser: true };
      await row.call(inBrowser(options), IDS);
      expect(sent).toHaveLength(1);
    }
  });

  test("a sandbox key may make only GET requests of undocumented paths", async () => {
    const { fetch, sent } = script(json({}));
    const gateway = inBrowser({ apiKey: KEYS.sandbox as string, fetch });
    await expectRejection(
      gateway.request({ method: "POST", path: "/reports" }),
      "a sandbox key in a browser",
    );
    await gateway.request({ method: "GET", path: "/reports" });
    expect(sent).toHaveLength(1);
  });
});

describe("gateway.request with a public key", () => {
  test.each(["HEAD", "POST", "PUT", "PATCH", "DELETE"] as const)(
    "may not %s a path that is not in the table",
    async (method) => {
      const { gateway, sent } = gatewayWith([json({})], { apiKey: KEYS.public });
      await expectRejection(gateway.request({ method, path: "/reports" }), "a public key");
      expect(sent).toHaveLength(0);
    },
  );

  test("may GET any path", async () => {
    const { gateway, sent } = gatewayWith([json({})], { apiKey: KEYS.public });
    await gateway.request({ method: "GET", path: "/reports" });
    await gateway.request({ method: "GET", path: "/webhooks/7" });
    expect(sent).toHaveLength(2);
  });

  test.each(ROWS)(
    "follows the rules of $name for its path",
    async ({ method, path, body, open }) => {
      const { gateway, sent } = gatewayWith([json({})], { apiKey: KEYS.public });
      const call = gateway.request({ method, path: path(IDS), body: body?.(IDS) });
      if (open === "to public keys") await call;
      else await expectRejection(call, "a public key");
      expect(sent).toHaveLength(open === "to public keys" ? 1 : 0);
    },
  );
});
