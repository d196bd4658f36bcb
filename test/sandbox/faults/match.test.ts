import { ConfigurationError } from "malipo";
import { createSandbox, type FaultOptions } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

type Match = NonNullable<FaultOptions["match"]>;
const effect = { kind: "status", status: 599 } as const;

function stage() {
  const sandbox = createSandbox();
  const ask = async (method: string, path: string) => {
    const headers = { "x-api-key": sandbox.keys.secret };
    return (await sandbox.fetch(sandbox.baseUrl + path, { method, headers })).status;
  };
  /** What becomes of a read, again and again. */
  const reads = async (times: number) => {
    const statuses: number[] = [];
    while (statuses.length < times) statuses.push(await ask("GET", "/merchant"));
    return statuses;
  };
  return { sandbox, ask, reads };
}

describe("a fault", () => {
  test.each<[Match | undefined, string, string]>([
    [undefined, "GET", "/merchant"],
    [{}, "DELETE", "/invoices/inv_1"],
    [{ method: "GET" }, "GET", "/merchant"],
    [{ method: "get" }, "GET", "/payments/PAY-1"],
    [{ path: "/merchant" }, "GET", "/merchant"],
    [{ path: "/invoices" }, "GET", "/invoices?page=2"],
    [{ path: "/payments/*" }, "GET", "/payments/PAY-1"],
    [{ path: "/payments/{reference}" }, "GET", "/payments/PAY-1"],
    [{ path: "/payments/PAY-*" }, "GET", "/payments/PAY-1"],
    [{ path: "/invoices/*/send" }, "POST", "/invoices/inv_1/send"],
    [{ path: "/*/*" }, "GET", "/merchant/payment-accounts"],
    [{ path: "/nothing-here" }, "GET", "/nothing-here"],
    [{ endpoint: "payments.get" }, "GET", "/payments/PAY-1"],
    [{ endpoint: "invoices.send", method: "POST" }, "POST", "/invoices/inv_1/send"],
    [{ endpoint: "webhooks.update", path: "/webhooks/wh_1" }, "PUT", "/webhooks/wh_1"],
  ])("for %j matches %s %s", async (match, method, path) => {
    const { sandbox, ask } = stage();
    sandbox.faults.add({ match, effect });
    expect(await ask(method, path)).toBe(599);
  });

  test.each<[Match, string, string]>([
    [{ method: "POST" }, "GET", "/merchant"],
    [{ path: "/merchant" }, "GET", "/merchant/payment-accounts"],
    [{ path: "/merchan" }, "GET", "/merchant"],
    [{ path: "/m.rchant" }, "GET", "/merchant"],
    [{ path: "/payments/*" }, "GET", "/payments"],
    [{ path: "/invoices/*" }, "POST", "/invoices/inv_1/send"],
    [{ endpoint: "payments.get" }, "GET", "/payments"],
    [{ endpoint: "payments.get", method: "POST" }, "GET", "/payments/PAY-1"],
    [{ endpoint: "invoices.get", path: "/invoices/inv_2" }, "GET", "/invoices/inv_1"],
  ])("for %j does not match %s %s, and waits", async (match, method, path) => {
    const { sandbox, ask } = stage();
    sandbox.faults.add({ match, effect });
    const before = sandbox.snapshot();
    expect(await ask(method, path)).not.toBe(599);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test.each<[Pick<FaultOptions, "after" | "times">, number[]]>([
    [{}, [599, 200, 200, 200, 200]],
    [{ times: 2 }, [599, 599, 200, 200, 200]],
    [{ after: 2 }, [200, 200, 599, 200, 200]],
    [{ after: 1, times: 3 }, [200, 599, 599, 599, 200]],
    [{ times: Number.POSITIVE_INFINITY }, [599, 599, 599, 599, 599]],
    [{ after: 3, times: Number.POSITIVE_INFINITY }, [200, 200, 200, 599, 599]],
    [{ after: undefined, times: undefined }, [599, 200, 200, 200, 200]],
  ])("with %o is injected into its share of the requests", async (count, expected) => {
    const { sandbox, reads } = stage();
    sandbox.faults.add({ effect, ...count });
    expect(await reads(5)).toEqual(expected);
  });

  test("counts only the requests that it matches", async () => {
    const { sandbox, ask, reads } = stage();
    sandbox.faults.add({ match: { endpoint: "merchant.get" }, effect, after: 1 });
    expect(await ask("GET", "/payments")).toBe(200);
    expect(await reads(3)).toEqual([200, 599, 200]);
  });

  test("comes after those that were added before it", async () => {
    const { sandbox, reads } = stage();
    for (const status of [501, 502, 503]) sandbox.faults.add({ effect: { ...effect, status } });
    expect(await reads(4)).toEqual([501, 502, 503, 200]);
  });

  test("names itself only in the responses that it changes", async () => {
    const { sandbox } = stage();
    sandbox.faults.add({ effect: { kind: "latency", ms: 0 } });
    for (const mark of ["latency", null]) {
      const response = await sandbox.fetch(`${sandbox.baseUrl}/merchant`);
      expect(response.headers.get("x-sandbox-fault")).toBe(mark);
    }
  });

  test("is not injected into a preflight", async () => {
    const { sandbox, ask, reads } = stage();
    sandbox.faults.add({ effect });
    expect(await ask("OPTIONS", "/merchant")).toBe(204);
    expect(await reads(1)).toEqual([599]);
  });

  test("is a copy of the given options", async () => {
    const { sandbox } = stage();
    const own = { kind: "status" as const, status: 500, body: { error: "then" } };
    sandbox.faults.add({ effect: own });
    own.body.error = "now";
    const response = await sandbox.fetch(`${sandbox.baseUrl}/merchant`);
    expect(await response.json()).toEqual({ error: "then" });
  });

  test("ends with clear()", async () => {
    const { sandbox, reads } = stage();
    sandbox.faults.add({ effect, times: Number.POSITIVE_INFINITY });
    expect(await reads(1)).toEqual([599]);
    sandbox.faults.clear();
    expect(await reads(2)).toEqual([200, 200]);
  });
});

describe("a wrong fault throws, and is not added", () => {
  test.each<[string, object]>([
    ["an unknown option", { effect, time: 2 }],
    ["an unknown field of its match", { effect, match: { url: "/merchant" } }],
    ["an unknown endpoint", { effect, match: { endpoint: "payments.create" } }],
    ["an inherited name for an endpoint", { effect, match: { endpoint: "toString" } }],
    ["no effect", {}],
    ["an unknown effect", { effect: { kind: "explode" } }],
    ["an inherited name for an effect", { effect: { kind: "constructor" } }],
    ["an unknown field of its effect", { effect: { kind: "latency", seconds: 2 } }],
    ["a field of another effect", { effect: { kind: "reset", ms: 2 } }],
    ["no status", { effect: { kind: "status" } }],
    ["a status that is none", { effect: { kind: "status", status: 600 } }],
    ["a broken status", { effect: { kind: "status", status: 200.5 } }],
    ["a status of 101", { effect: { kind: "status", status: 101 } }],
    ["no latency", { effect: { kind: "latency" } }],
    ["a negative latency", { effect: { kind: "latency", ms: -1 } }],
    ["a latency without an end", { effect: { kind: "latency", ms: Number.POSITIVE_INFINITY } }],
    ["a negative after", { effect, after: -1 }],
    ["a broken after", { effect, after: 0.5 }],
    ["times of 0", { effect, times: 0 }],
    ["a broken times", { effect, times: 1.5 }],
    ["times that are not a number", { effect, times: Number.NaN }],
  ])("%s", async (_, wrong) => {
    const { sandbox, reads } = stage();
    expect(() => sandbox.faults.add(wrong as FaultOptions)).toThrow(ConfigurationError);
    expect(await reads(1)).toEqual([200]);
  });
});
