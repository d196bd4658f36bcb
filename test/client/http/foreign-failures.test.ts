import { inspect } from "node:util";
import { ConnectionError, type GatewayError, isGatewayError } from "malipo";
import { describe, expect, test } from "vitest";
import { fc } from "../../support/properties.ts";
import { gatewayOn, gatewayWith, rejection } from "../support/gateway.ts";
import { type Fetch, fail, json } from "../support/responses.ts";

const KEY = "sk_live_9fQ2xLm7VwTz";
const PHONE = "254712345678";
const order = { amount: 100, phone: PHONE };

/** All that a log, a reporter or a person may see of an error, down to its causes. */
function shown(value: unknown, seen = new Set<unknown>()): string {
  if (seen.has(value)) return "";
  seen.add(value);
  const texts = [inspect(value, { depth: 30, showHidden: true, getters: true }), String(value)];
  texts.push(JSON.stringify(value) ?? "");
  if (typeof value === "object" && value !== null) {
    for (const name of ["message", "stack", "cause", "name", "code", "errors"]) {
      texts.push(shown(Reflect.get(value, name), seen));
    }
  }
  return texts.join("\n");
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** The key as a thief would look for it. */
const CANARIES = [
  KEY,
  encodeURIComponent(KEY),
  ...["", "x", "xx"].map((before) => base64(before + KEY).slice(4, -4)),
];

function expectClean(error: unknown): asserts error is GatewayError {
  expect(isGatewayError(error)).toBe(true);
  expect(["not_sent", "rejected", "unknown"]).toContain((error as GatewayError).outcome);
  const all = shown(error).toLowerCase();
  for (const canary of CANARIES) expect(all).not.toContain(canary.toLowerCase());
  expect(all).not.toContain(PHONE);
}

function chain(depth: number): Error {
  let error = new Error(`at the bottom: ${KEY}`);
  for (let at = 0; at < depth; at++) error = new Error("above", { cause: error });
  return error;
}

function cyclic(message: string): Error {
  const error = new Error(message);
  error.cause = new Error("inside", { cause: error });
  return error;
}

function manyCyclicErrors(): Error {
  const error = new AggregateError([], "all of them");
  error.errors = Array.from({ length: 50 }, () => error);
  error.errors.push(KEY);
  return error;
}

const throws = (): never => {
  throw new Error(`no access: ${KEY}`);
};

const throwing = (target: object) =>
  new Proxy(target, { get: throws, ownKeys: throws, getPrototypeOf: throws, has: throws });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class HiddenKey extends Error {
  readonly #key = KEY;
  override toString(): string {
    return this.#key;
  }
  toJSON(): unknown {
    return { key: this.#key };
  }
  [inspect.custom](): string {
    return this.#key;
  }
}

// biome-ignore format: a table is read across
const THROWN: [string, unknown][] = [
  ["an object whose toString returns the key", { toString: () => KEY }],
  ["an object whose toString throws", { toString: throws }],
  ["an object whose toPrimitive returns the key", { [Symbol.toPrimitive]: () => KEY }],
  ["an object whose tag is the key", { [Symbol.toStringTag]: KEY }],
  ["an object without a prototype", Object.assign(Object.create(null), { key: KEY })],
  ["an error whose message throws", Object.defineProperty(new Error("x"), "message", { get: throws })],
  ["an error whose stack throws", Object.defineProperty(new Error("x"), "stack", { get: throws })],
  ["an error whose cause throws", Object.defineProperty(new Error("x"), "cause", { get: throws })],
  ["an error whose code throws", Object.defineProperty(new Error("x"), "code", { get: throws })],
  ["an error whose name is the key", Object.assign(new Error("x"), { name: KEY })],
  ["an error whose code is the key", Object.assign(new Error("x"), { code: KEY })],
  ["an error of a class that hides the key", new HiddenKey("x")],
  ["an error that hides the key in a closure", Object.assign(new Error("x"), { toJSON: () => KEY })],
  ["a Proxy that throws", throwing({})],
  ["a Proxy of an error that throws", throwing(new Error(KEY))],
  ["a Proxy of a function", new Proxy(() => KEY, {})],
  ["a revoked Proxy", revoked()],
  ["causes 20,000 deep", chain(20_000)],
  ["causes 20 deep", chain(20)],
  ["a cyclic cause", cyclic("no key")],
  ["a cyclic cause with the key", cyclic(KEY)],
  ["errors that hold themselves many times", manyCyclicErrors()],
  ["a text", `failed ${KEY}`],
  ["an empty text", ""],
  ["null", null],
  ["undefined", undefined],
  ["a number", 254712345678],
  ["a bigint", 254712345678n],
  ["a symbol", Symbol(KEY)],
  ["a function", () => KEY],
  // biome-ignore lint/suspicious/noThenProperty: what is thrown may have one
  ["a thenable", { then: (_: unknown, reject: (reason: unknown) => void) => reject(KEY) }],
  ["a Date", new Date(0)],
  ["a Request", new Request("https://a.test", { headers: { "x-api-key": KEY } })],
  ["the key in base64", new Error(`Authorization: Basic ${base64(`user:${KEY}`)}`)],
  ["the key in a cause, in base64", new Error("x", { cause: { message: base64(KEY) } })],
  ["a phone", new Error(`for ${PHONE}`, { cause: new Error(`+254 712-345-678, ${PHONE}`) })],
  ["a phone in a field", Object.assign(new Error("x"), { config: { data: order } })],
];

describe.each(THROWN)("a fetch that throws %s", (_, thrown) => {
  test("becomes a ConnectionError with an outcome, without the key and the phone", async () => {
    const { gateway, sent } = gatewayWith([fail(thrown)], { apiKey: KEY, maxRetries: 0 });
    const error = await rejection(gateway.mobileMoney.initiate(order));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe("unknown");
    expect(sent).toHaveLength(1);
    expectClean(error);
  });

  test("becomes the same if it is thrown before it returns a promise", async () => {
    const fetch: Fetch = () => {
      throw thrown;
    };
    const gateway = gatewayOn(fetch, { apiKey: KEY, maxRetries: 0 });
    expectClean(await rejection(gateway.mobileMoney.initiate(order)));
  });

  test("becomes the same if the body of the response throws it", async () => {
    const response = new Response("{}", { headers: { "content-length": "2" } });
    Object.defineProperty(response, "text", { value: () => Promise.reject(thrown) });
    const gateway = gatewayOn(async () => response, { apiKey: KEY, maxRetries: 0 });
    const error = await rejection(gateway.mobileMoney.initiate(order));
    expectClean(error);
    expect(error.outcome).toBe("unknown");
  });

  test("is not shown if a hook throws it: the call goes on", async () => {
    const hook = () => {
      throw thrown;
    };
    const hooks = { request: () => hook, response: hook, retry: hook, drift: hook };
    const { gateway } = gatewayWith([json({ success: true, data: { reference: 7 } })], {
      apiKey: KEY,
      hooks,
    });
    expect(await gateway.mobileMoney.initiate(order)).toHaveProperty("reference", "7");
  });
});

describe("a fetch that resolves with something that is not a response", () => {
  const response = (fields: object) =>
    Object.defineProperties(new Response("{}"), Object.getOwnPropertyDescriptors(fields));
  // biome-ignore format: a table is read across
  const RESPONSES: [string, unknown][] = [
    ["undefined", undefined],
    ["null", null],
    ["a text", KEY],
    ["an empty object", {}],
    ["an object without headers", { ok: false, status: 401, text: async () => KEY }],
    ["an object whose text is a number", { ok: true, status: 200, text: async () => 7 }],
    ["a Proxy that throws", throwing({})],
    ["a response whose status throws", response({ get status() { return throws(); } })],
    ["a response whose ok throws", response({ get ok() { return throws(); } })],
    ["a response whose headers throw", response({ get headers() { return throws(); } })],
    ["a response whose body throws", response({ get body() { return throws(); } })],
  ];

  test.each(RESPONSES)("become a typed error of unknown outcome: %s", async (_, given) => {
    const gateway = gatewayOn(async () => given as Response, { apiKey: KEY, maxRetries: 0 });
    const error = await rejection(gateway.mobileMoney.initiate(order));
    expectClean(error);
    expect(error.outcome).toBe("unknown");
  });
});

test("a body that fails with the code of a refused connection has an unknown outcome", async () => {
  const failure = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
  const body = new ReadableStream({ pull: (controller) => controller.error(failure) });
  const gateway = gatewayOn(async () => new Response(body));
  const error = await rejection(gateway.mobileMoney.initiate(order));
  expect(error).toMatchObject({ code: "connection", outcome: "unknown" });
});

describe("the cause of a ConnectionError", () => {
  const causeOf = async (thrown: unknown) => {
    const { gateway } = gatewayWith([fail(thrown)], { apiKey: KEY, maxRetries: 0 });
    return (await rejection(gateway.merchant.get())).cause as Error & Record<string, unknown>;
  };

  test("is an error of the same standard type, with what says why", async () => {
    const inner = Object.assign(new RangeError(`to ${KEY}`), {
      code: "ECONNRESET",
      errno: -104,
      syscall: "read",
      request: new Request("https://a.test"),
    });
    const cause = await causeOf(new TypeError("fetch failed", { cause: inner }));
    expect(cause).toBeInstanceOf(TypeError);
    expect(cause.message).toBe("fetch failed");
    expect(cause.stack).toContain("TypeError: fetch failed");
    expect(cause.cause).toBeInstanceOf(RangeError);
    const { message, code, errno, syscall, request } = cause.cause as Record<string, unknown>;
    expect({ message, code, errno, syscall, request }).toStrictEqual({
      message: "to [redacted]",
      code: "ECONNRESET",
      errno: -104,
      syscall: "read",
      request: undefined,
    });
  });

  test("keeps the errors of several addresses", async () => {
    const errors = [new Error(KEY), Object.assign(new Error("b"), { code: "ENETUNREACH" })];
    const cause = await causeOf(new AggregateError(errors, "all failed"));
    expect(cause.name).toBe("AggregateError");
    expect((cause.errors as Error[]).map(({ message }) => message)).toEqual(["[redacted]", "b"]);
  });

  test("of another realm is an error of this one", async () => {
    const { runInNewContext } = await import("node:vm");
    const cause = await causeOf(runInNewContext("new TypeError('fetch failed')"));
    expect(cause).toBeInstanceOf(TypeError);
    expect(cause.message).toBe("fetch failed");
  });
});

describe("whatever is thrown", () => {
  const encoded = fc
    .constantFrom(
      KEY,
      KEY.toUpperCase(),
      encodeURIComponent(KEY),
      base64(KEY),
      base64(`a:${KEY}`),
      base64(`ab:${KEY}==`),
      Buffer.from(KEY).toString("base64url"),
      `+${PHONE}`,
    )
    .chain((canary) => fc.tuple(fc.string(), fc.string()).map(([a, b]) => `${a} ${canary} ${b}`));
  const { thrown } = fc.letrec<{ thrown: unknown }>((tie) => ({
    thrown: fc.oneof(
      { maxDepth: 4 },
      encoded,
      fc.anything({ values: [encoded], withNullPrototype: true, withMap: true, withDate: true }),
      fc
        .record({ message: encoded, stack: encoded, cause: tie("thrown"), field: tie("thrown") })
        .map(({ message, stack, cause, field }) =>
          Object.assign(new TypeError(message, { cause }), { stack, field }),
        ),
      fc.array(tie("thrown"), { maxLength: 3 }).map((errors) => new AggregateError(errors)),
      tie("thrown").map((value) => ({
        toString: () => String(value),
        get cause() {
          return throws();
        },
      })),
    ),
  }));

  test("neither the key nor the phone shows", async () => {
    await fc.assert(
      fc.asyncProperty(thrown, async (value) => {
        const { gateway } = gatewayWith([fail(value)], { apiKey: KEY, maxRetries: 0 });
        expectClean(await rejection(gateway.mobileMoney.initiate(order)));
      }),
      { numRuns: 300 },
    );
  });
});

test("a getter of the parameters that throws leads to an InvalidParamsError, and nothing is sent", async () => {
  const { gateway, sent } = gatewayWith([json({})], { apiKey: KEY });
  const params = Object.defineProperty({ phone: PHONE }, "amount", {
    enumerable: true,
    get: throws,
  });
  const error = await rejection(gateway.mobileMoney.initiate(params as typeof order));
  expect(error).toMatchObject({ code: "invalid_params", outcome: "not_sent" });
  expectClean(error);
  expect(sent).toHaveLength(0);
});
