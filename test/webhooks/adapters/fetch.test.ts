import { createServer } from "node:http";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { fetchHandler } from "malipo/fetch";
import { createWebhookReceiver } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { gateOf } from "../../suites/inbox-stage.ts";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { type Delivery, type Mount, onSocket, PATH } from "../../suites/webhook-mount.ts";
import { BODY, SECRET } from "../../suites/webhook-sample.ts";
import { signed } from "../../suites/webhook-stage.ts";

type Fetch = (request: Request) => Response | Promise<Response>;

/** A request as a runtime makes one of a delivery. */
function requestOf({ method = "POST", headers = {}, body, chunked }: Delivery): Request {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const bytes = new Uint8Array(body ?? []);
  const init = ["GET", "HEAD"].includes(method)
    ? {}
    : { body: chunked ? new Blob([bytes]).stream() : bytes, duplex: "half" };
  return new Request(`https://shop.test${PATH}`, { method, headers: lines, ...init });
}

const called = (handle: Fetch): Mount => ({
  deliver: async (delivery) => {
    const response = await handle(requestOf(delivery));
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  },
});

/** What a server does that hands requests over as `Request`. */
const served = (handle: Fetch): Promise<Mount> =>
  onSocket(
    createServer(async (incoming, outgoing) => {
      const { method = "GET", url, rawHeaders } = incoming;
      const headers = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2)
        headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
      const body = ["GET", "HEAD"].includes(method)
        ? {}
        : { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" };
      const request = new Request(`http://shop.test${url}`, { method, headers, ...body });
      const response = await handle(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    }),
  );

const hono = (receiver: Parameters<typeof fetchHandler>[0], spoil?: (raw: Request) => unknown) => {
  const app = new Hono();
  app.all(PATH, async (c) => {
    await spoil?.(c.req.raw);
    return fetchHandler(receiver)(c.req.raw);
  });
  return app.fetch;
};

testAdapter({
  name: "fetchHandler",
  isCalledWith: "a Request",
  mount: (receiver) => called(fetchHandler(receiver)),
  spoilt: [
    [
      "request.json()",
      (receiver) =>
        called(async (request) => {
          await request.json().catch(() => {});
          return fetchHandler(receiver)(request);
        }),
      /before anything calls `json\(\)`, `text\(\)` or `formData\(\)` of the request/,
    ],
    [
      "a reader that holds the stream",
      (receiver) =>
        called((request) => {
          request.body?.getReader();
          return fetchHandler(receiver)(request);
        }),
      /before anything/,
    ],
    [
      "request.json() in a Next route handler",
      (receiver) =>
        called(async (request) => {
          await request.json().catch(() => {});
          return fetchHandler(receiver)(Object.assign(request, { nextUrl: new URL(request.url) }));
        }),
      /^(?!.*Hono).*Next: `export const POST = fetchHandler\(receiver\)`/,
    ],
  ],
});

testAdapter({
  name: "fetchHandler on Hono",
  mount: (receiver) => served(hono(receiver)),
  spoilt: [
    [
      "c.req.json()",
      (receiver) => served(hono(receiver, (raw) => raw.json().catch(() => {}))),
      /Hono: `fetchHandler\(receiver\)\(c\.req\.raw\)` above validators/,
    ],
  ],
});

describe("fetchHandler", () => {
  const reported: unknown[] = [];
  const onError = (error: unknown) => void reported.push(error);
  const receive = () => fetchHandler(createWebhookReceiver({ secret: SECRET, onError }));
  const posted = (body: ReadableStream) => {
    const headers = { "x-service-signature": "0".repeat(64) };
    const init = { method: "POST", headers, body, duplex: "half" };
    return new Request(`https://shop.test${PATH}`, init);
  };

  test("responds to a stream that never ends, reads some of the rest, and cancels it", async () => {
    let passed = 0;
    const hungUp = new Promise<void>((resolve) => {
      const endless = new ReadableStream({
        pull: (controller) => {
          passed += 2 ** 20;
          controller.enqueue(new Uint8Array(2 ** 20));
        },
        cancel: () => resolve(),
      });
      void receive()(posted(endless)).then(({ status }) => expect(status).toBe(413));
    });
    await hungUp;
    expect(passed / 2 ** 20).toBeGreaterThan(6);
    expect(passed / 2 ** 20).toBeLessThan(12);
  });

  test("reads nothing before the headers are right, and drops the rest", async () => {
    let passed = 0;
    const [done, end] = gateOf<void>();
    const endless = new ReadableStream(
      {
        pull: (controller) => {
          passed += 2 ** 20;
          controller.enqueue(new Uint8Array(2 ** 20));
        },
        cancel: () => end(),
      },
      { highWaterMark: 0 },
    );
    const unsigned = new Request(posted(endless), { headers: {} });
    expect((await receive()(unsigned)).status).toBe(401);
    await done;
    expect(passed / 2 ** 20).toBeLessThan(12);
  });

  const chunks = ["text", 7, null, { length: 3 }, [1, 2]];

  const errored = (error: unknown) => (controller: ReadableStreamDefaultController) => {
    controller.enqueue(BODY);
    controller.error(error);
  };
  const chunked = (chunk: unknown) => (controller: ReadableStreamDefaultController) => {
    controller.enqueue(chunk);
    controller.close();
  };
  // As SvelteKit cuts a body off, and other frameworks.
  const tooLarge = (field: string) =>
    Object.assign(new Error("Content-length of 600000 exceeds limit of 524288 bytes."), {
      [field]: 413,
    });
  const reset = Object.assign(new Error("aborted"), { code: "ECONNRESET" });

  test.each<
    [
      what: string,
      start: (controller: ReadableStreamDefaultController) => void,
      status: number,
      description: string,
      says: RegExp | undefined,
    ]
  >([
    ...chunks.map(
      (chunk) =>
        [
          `is none of bytes: ${JSON.stringify(chunk)}`,
          chunked(chunk),
          ...([
            500,
            "body not raw",
            /stream has chunks of the type .+ without setEncoding/,
          ] as const),
        ] as [string, ReturnType<typeof chunked>, number, string, RegExp],
    ),
    [
      "the framework cuts off",
      errored(tooLarge("status")),
      413,
      "too large",
      /exceeds limit of 524288/,
    ],
    [
      "another framework cuts off",
      errored(tooLarge("statusCode")),
      413,
      "too large",
      /exceeds limit/,
    ],
    ["fails", errored(new Error("no disk")), 500, "the receiver failed", /no disk/],
    ["ends with its sender", errored(reset), 400, "the body ended early", undefined],
    [
      "is aborted",
      errored(new DOMException("x", "AbortError")),
      400,
      "the body ended early",
      undefined,
    ],
  ])("rejects a stream that %s", async (_, start, status, description, says) => {
    reported.length = 0;
    const response = await receive()(posted(new ReadableStream({ start })));
    expect([response.status, await response.json()]).toEqual([
      status,
      { ResultCode: 1, ResultDesc: description },
    ]);
    expect(reported.map(String)).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
  });

  test.each([
    ["without streams", undefined],
    ["whose streams cannot be iterated", { locked: false, getReader: () => {} }],
  ])("works in a runtime %s", async (_, body) => {
    const request = requestOf(signed(BODY));
    Object.defineProperty(request, "body", { value: body });
    expect((await receive()(request)).status).toBe(200);
  });

  test("rejects a body that ends early in a runtime without streams", async () => {
    const request = requestOf(signed(BODY));
    const arrayBuffer = () => Promise.reject(new TypeError("terminated"));
    Object.defineProperties(request, {
      body: { value: undefined },
      arrayBuffer: { value: arrayBuffer },
    });
    const response = await receive()(request);
    expect([response.status, await response.json()]).toEqual([
      400,
      { ResultCode: 1, ResultDesc: "the body ended early" },
    ]);
  });
});
