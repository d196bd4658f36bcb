import { ConfigurationError, Gateway, ServerError, UnexpectedResponseError } from "malipo";
import { afterEach, describe, expect, test, vi } from "vitest";
import { BASE_URL, gatewayOn, gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { json, type Step } from "../support/responses.ts";

const MAX = 1_000;
const order = { amount: 100, phone: "0712345678" };

/** A JSON body of this size. */
function bodyOf(bytes: number): string {
  const start = '{"success":true,"data":{"reference":"PAY-1","status":"pending","note":"';
  return `${start}${"x".repeat(bytes - start.length - 3)}"}}`;
}

/** A response whose body comes in pieces of 100 bytes, and what was read of it. */
function streamed(body: string, init: ResponseInit = {}) {
  const seen = { bytes: 0, cancelled: false };
  const step: Step = () => {
    let rest = new TextEncoder().encode(body);
    const stream = new ReadableStream(
      {
        pull(controller) {
          if (rest.length === 0) return controller.close();
          seen.bytes += Math.min(rest.length, 100);
          controller.enqueue(rest.subarray(0, 100));
          rest = rest.subarray(100);
        },
        cancel() {
          seen.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, init);
  };
  return { step, seen };
}

/** A response as React Native makes it: without a stream. */
const withoutStream =
  (body: string, headers: Record<string, string> = {}): Step =>
  () =>
    Object.defineProperty(new Response(body, { headers }), "body", { value: undefined });

const meeting = (step: Step, maxResponseBytes = MAX) =>
  gatewayWith([step], { maxResponseBytes, maxRetries: 2 });

describe("a response larger than maxResponseBytes", () => {
  test("is cut off and cancelled", async () => {
    const { step, seen } = streamed(bodyOf(1_000_000));
    const { gateway } = meeting(step);
    expect(await rejection(gateway.payments.get("PAY-1"))).toBeInstanceOf(UnexpectedResponseError);
    expect(seen).toEqual({ bytes: 1_100, cancelled: true });
  });

  test("is not read at all if its Content-Length is too large", async () => {
    const { step, seen } = streamed(bodyOf(2_000), { headers: { "content-length": "2000" } });
    const { gateway } = meeting(step);
    expect(await rejection(gateway.payments.get("PAY-1"))).toBeInstanceOf(UnexpectedResponseError);
    expect(seen).toEqual({ bytes: 0, cancelled: true });
  });

  test("is cut off, whatever its Content-Length says", async () => {
    const { step, seen } = streamed(bodyOf(1_000_000), { headers: { "content-length": "9" } });
    const { gateway } = meeting(step);
    expect(await rejection(gateway.payments.get("PAY-1"))).toBeInstanceOf(UnexpectedResponseError);
    expect(seen).toEqual({ bytes: 1_100, cancelled: true });
  });

  const STEPS: [string, Step][] = [
    ["as a stream", streamed(bodyOf(MAX + 1)).step],
    [
      "with a Content-Length",
      json({ x: "x".repeat(MAX) }, { headers: { "content-length": "1009" } }),
    ],
    [
      "with a Content-Length that is too small",
      json({ x: "x".repeat(MAX) }, { headers: { "content-length": "9" } }),
    ],
    [
      "that was compressed",
      streamed(bodyOf(MAX + 1), { headers: { "content-length": "9", "content-encoding": "gzip" } })
        .step,
    ],
    ["without a stream", withoutStream(bodyOf(MAX + 1))],
    ["without a stream, of characters of two bytes", withoutStream(`"${"é".repeat(MAX / 2)}"`)],
  ];

  test.each(STEPS)("leaves a create of unknown outcome, sent once: %s", async (_, step) => {
    const { gateway, sent } = meeting(step);
    const error = await rejection(gateway.mobileMoney.initiate(order));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: "unknown", status: 200, body: undefined });
    expect(error.message).toBe(
      "POST /mobile-money/payment/initiate returned 200, but its body is larger than maxResponseBytes (1000 bytes) and was not read. Raise maxResponseBytes if the service sends such bodies. It may have happened. Look before you send it again.",
    );
    expect(sent).toHaveLength(1);
  });

  test.each([
    [200, "unknown"],
    [404, "rejected"],
    [408, "unknown"],
    [503, "unknown"],
  ])("is not retried, and its status decides the outcome: %d is %s", async (status, outcome) => {
    const { gateway, sent } = meeting(streamed(bodyOf(2_000), { status }).step);
    const error = await rejection(gateway.payments.get("PAY-1"));
    expect(error).toMatchObject({ code: "unexpected_response", status, outcome });
    expect(sent).toHaveLength(1);
  });

  test("is shown to the response hook, with its status", async () => {
    const statuses: number[] = [];
    const { gateway } = gatewayWith([streamed(bodyOf(2_000)).step], {
      maxResponseBytes: MAX,
      hooks: { response: ({ status }) => statuses.push(status) },
    });
    await rejection(gateway.payments.get("PAY-1"));
    expect(statuses).toEqual([200]);
  });
});

describe("a response of maxResponseBytes", () => {
  const body = bodyOf(MAX);
  test.each([
    ["as a stream", streamed(body).step],
    ["with a Content-Length", streamed(body, { headers: { "content-length": `${MAX}` } }).step],
    ["without a stream", withoutStream(body)],
    ["with a useless Content-Length", streamed(body, { headers: { "content-length": "-1" } }).step],
  ])("is read: %s", async (_, step) => {
    const { gateway } = meeting(step);
    expect(await gateway.payments.get("PAY-1")).toHaveProperty("status", "pending");
  });

  test("may have characters that are cut between two pieces, and a byte order mark", async () => {
    const { step } = streamed(
      `\ufeff{"success":true,"data":{"status":"pending","note":"${"é€😀".repeat(90)}"}}`,
    );
    const { gateway } = meeting(step, 10_000);
    expect(await gateway.payments.get("PAY-1")).toHaveProperty("note", "é€😀".repeat(90));
  });
});

describe("a response of the runtime's own fetch", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** A response, and how often its text was asked for as a whole. */
  function watched(body: string, headers: Record<string, string>) {
    const seen = { texts: 0 };
    const response = new Response(body, { headers });
    const text = () => {
      seen.texts++;
      return Response.prototype.text.call(response);
    };
    return { response: Object.defineProperty(response, "text", { value: text }), seen };
  }

  const gatewayHere = (response: Response) => {
    vi.stubGlobal("fetch", async () => response);
    const options = { apiKey: KEYS.secret as string, baseUrl: BASE_URL, maxResponseBytes: MAX };
    return new Gateway({ ...options, maxRetries: 0 });
  };

  const length = (body: string) => ({ "content-length": `${body.length}` });
  const body = bodyOf(500);

  test.each([
    ["of known length", length(body), 1],
    ["of unknown length", {}, 0],
    ["that was compressed", { ...length(body), "content-encoding": "gzip" }, 0],
  ] as const)("is read as a whole only if it is of known length: %s", async (_, headers, texts) => {
    const { response, seen } = watched(body, headers as Record<string, string>);
    expect(await gatewayHere(response).payments.get("PAY-1")).toHaveProperty("status", "pending");
    expect(seen.texts).toBe(texts);
  });

  test("is read in pieces if the fetch is a custom one, which may leave any header over it", async () => {
    const { response, seen } = watched(body, length(body));
    await gatewayOn(async () => response).payments.get("PAY-1");
    expect(seen.texts).toBe(0);
  });

  test("is an error if it is longer than its Content-Length and the limit", async () => {
    const { response } = watched(bodyOf(MAX + 1), { "content-length": "9" });
    const error = await rejection(gatewayHere(response).payments.get("PAY-1"));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
  });
});

test("a response to HEAD may have any Content-Length", async () => {
  const fetch = async () => new Response(null, { headers: { "content-length": "99999999" } });
  const gateway = gatewayOn(fetch, { maxResponseBytes: MAX });
  expect(await gateway.request({ method: "HEAD", path: "/reports" })).toEqual({});
});

test("a body that was read by the custom fetch is taken from its text()", async () => {
  const fetch = async () => {
    const response = Response.json({ success: true, data: { status: "pending" } });
    const text = await response.text();
    return Object.defineProperty(response, "text", { value: async () => text });
  };
  expect(await gatewayOn(fetch).payments.get("PAY-1")).toHaveProperty("status", "pending");
});

test("the limit is 10 MiB by default", async () => {
  const MIB = 1_048_576;
  const small = gatewayWith([json({}, { headers: { "content-length": `${10 * MIB}` } })]);
  expect(await small.gateway.merchant.get()).toEqual({});
  const large = gatewayWith([json({}, { headers: { "content-length": `${10 * MIB + 1}` } })]);
  expect((await rejection(large.gateway.merchant.get())).message).toContain("10485760 bytes");
});

test.each([0, -1, 1.5, Number.NaN, "1000", null])("%j is not a limit", (maxResponseBytes) => {
  const options = { apiKey: KEYS.secret as string, baseUrl: BASE_URL, maxResponseBytes };
  expect(() => gatewayOn(fetch, options as { maxResponseBytes: number })).toThrow(
    ConfigurationError,
  );
});

test("a 5xx within the limit is a ServerError as before", async () => {
  const { gateway } = gatewayWith([streamed(bodyOf(500), { status: 503 }).step], {
    maxRetries: 0,
  });
  expect(await rejection(gateway.payments.get("PAY-1"))).toBeInstanceOf(ServerError);
});
