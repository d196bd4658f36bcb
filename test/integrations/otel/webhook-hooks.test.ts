import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { nodeHandler } from "malipo/node";
import { otelInboxStats, otelWebhookHooks } from "malipo/otel";
import { createWebhookReceiver, signWebhook, type WebhookReceiverOptions } from "malipo/webhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { listening } from "../../suites/webhook-mount.ts";
import { SECRET } from "../../suites/webhook-sample.ts";
import { recordingMeter } from "./recording-meter.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer("test");
const storage = new AsyncLocalStorage<Context>();

/** Reads the header of W3C Trace Context, as an application's propagator does. */
const traceparents: TextMapPropagator = {
  inject() {},
  extract: (active, carrier, getter) => {
    const [, traceId = "", spanId = ""] = String(getter.get(carrier, "traceparent")).split("-");
    const sender = { traceId, spanId, traceFlags: 1, isRemote: true };
    return isSpanContextValid(sender) ? trace.setSpanContext(active, sender) : active;
  },
  fields: () => ["traceparent"],
};

beforeAll(() => {
  propagation.setGlobalPropagator(traceparents);
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...rest) =>
      storage.run(active, () => work.apply(self as never, rest)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
});
afterAll(() => {
  context.disable();
  propagation.disable();
});
beforeEach(() => exporter.reset());

const PHONE = "254712345678";
const BODY = JSON.stringify({
  event: "payment.completed",
  data: { reference: "PAY-71", payer_phone: PHONE },
});
const SIGNATURE = signWebhook(BODY, SECRET);

function traced(options: Partial<WebhookReceiverOptions> = {}) {
  const { meter, measurements, units } = recordingMeter();
  const hooks = otelWebhookHooks({ tracer, meter, route: "/webhooks" });
  const receiver = createWebhookReceiver({ secret: SECRET, onError() {}, hooks, ...options });
  const deliver = (headers: Record<string, string> = {}, body = BODY) =>
    receiver.handle({
      method: "POST",
      url: "/webhooks?token=t0ken",
      headers: { "x-service-signature": SIGNATURE, ...headers },
      body,
    });
  const find = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
  return { receiver, deliver, measurements, units, find };
}

describe("the span of a request", () => {
  test("is that of an HTTP server, and a child of the sender's", async () => {
    const { deliver, find } = traced();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await deliver({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    const [span, ...others] = find("POST /webhooks");
    expect(others).toEqual([]);
    expect(span).toMatchObject({ kind: SpanKind.SERVER, status: { code: 0 } });
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
    expect(span?.attributes).toEqual({
      "http.request.method": "POST",
      "url.path": "/webhooks",
      "http.route": "/webhooks",
      "http.request.body.size": BODY.length,
      "http.response.status_code": 200,
      "malipo.result": "accepted",
      "messaging.system": "malipo",
      "messaging.operation.name": "receive",
      "messaging.operation.type": "receive",
      "messaging.destination.name": "payment.completed",
      "messaging.message.id": expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  test("is inside of the span that an instrumentation of the server made", async () => {
    const { deliver, find } = traced();
    const server = tracer.startSpan("POST");
    await context.with(trace.setSpan(ROOT_CONTEXT, server), () => deliver());
    const [span] = find("receive webhook");
    expect(span?.kind).toBe(SpanKind.INTERNAL);
    expect(span?.parentSpanContext?.spanId).toBe(server.spanContext().spanId);
  });

  test("is active while the event is stored", async () => {
    const memory = memoryInbox();
    let active: string | undefined;
    const accept: typeof memory.accept = (delivery) => {
      active = trace.getActiveSpan()?.spanContext().spanId;
      return memory.accept(delivery);
    };
    const { deliver, find } = traced({ inbox: { ...memory, accept } });
    await deliver();
    expect(active).toBe(find("POST /webhooks")[0]?.spanContext().spanId);
  });

  test("is an error only if the receiver failed", async () => {
    const down = { ...memoryInbox(), accept: () => Promise.reject(new Error("disk I/O error")) };
    for (const { deliver } of [traced(), traced({ inbox: down })]) {
      await deliver({ "x-service-signature": "0".repeat(64) });
      await deliver();
    }
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([
      401, 200, 401, 503,
    ]);
    expect(spans.map(({ status }) => status.code)).toEqual([0, 0, 0, 2]);
    expect(spans.map(({ attributes }) => attributes["malipo.error"])).toEqual([
      "signature_mismatch",
      undefined,
      "signature_mismatch",
      undefined,
    ]);
    expect(spans[3]?.attributes["error.type"]).toBe("503");
  });

  test("has the path of a request over a socket", async () => {
    const { receiver, find } = traced();
    const mount = await listening(nodeHandler(receiver));
    try {
      const headers = { "X-Service-Signature": SIGNATURE };
      const { status } = await mount.deliver({ headers, body: Buffer.from(BODY) });
      expect(status).toBe(200);
      expect(find("POST /webhooks")[0]?.attributes["url.path"]).toBe("/webhooks");
    } finally {
      await mount.close?.();
    }
  });
});

describe("the span of an attempt", () => {
  test("is a separate trace, with a link to the request, and the handler runs inside of it", async () => {
    const { receiver, deliver, find } = traced();
    let active: string | undefined;
    receiver.on("payment.completed", async () => {
      await new Promise(setImmediate);
      active = trace.getActiveSpan()?.spanContext().spanId;
    });
    await receiver.start();
    await deliver();
    await expect.poll(() => find("process payment.completed").length).toBe(1);
    await receiver.stop();
    const [received] = find("POST /webhooks");
    const [processed] = find("process payment.completed");
    expect(processed?.kind).toBe(SpanKind.CONSUMER);
    expect(processed?.parentSpanContext).toBeUndefined();
    expect(processed?.spanContext().traceId).not.toBe(received?.spanContext().traceId);
    expect(processed?.links.map((link) => link.context)).toMatchObject([
      {
        traceId: received?.spanContext().traceId,
        spanId: received?.spanContext().spanId,
        isRemote: true,
      },
    ]);
    expect(active).toBe(processed?.spanContext().spanId);
    expect(processed?.attributes).toEqual({
      "messaging.system": "malipo",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "payment.completed",
      "messaging.message.id": received?.attributes["messaging.message.id"],
      "messaging.message.body.size": BODY.length,
      "malipo.attempt": 1,
    });
  });

  test("of a failed attempt has the type of the error, and not its message", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { receiver, deliver, find } = traced();
    receiver.on("payment.completed", (_, { attempt }) => {
      if (attempt === 1) throw new TypeError(`no shop for ${PHONE}`);
    });
    await receiver.start();
    await deliver();
    await expect.poll(() => find("process payment.completed").length).toBe(2);
    await receiver.stop();
    vi.restoreAllMocks();
    const spans = find("process payment.completed");
    expect(spans.map(({ status }) => status)).toEqual([{ code: 2 }, { code: 0 }]);
    expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual([
      "TypeError",
      undefined,
    ]);
    expect(spans.map(({ links }) => links.length)).toEqual([1, 1]);
  });
});

describe("the metrics", () => {
  test("count deliveries by result, and attempts with their durations, the lag and dead letters", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { receiver, deliver, measurements, units } = traced();
    receiver.on("payment.completed", () => {
      throw new RangeError("no");
    });
    await receiver.start();
    await deliver();
    await deliver();
    await deliver({ "x-service-signature": "" });
    const count = (name: string) => measurements.filter((one) => one.name === name);
    await expect.poll(() => count("malipo.webhooks.dead_letters").length).toBe(1);
    await receiver.stop();
    vi.restoreAllMocks();
    const kind = { "messaging.destination.name": "payment.completed" };
    expect(count("malipo.webhooks.received").map(({ attributes }) => attributes)).toEqual([
      { "malipo.result": "accepted", "http.response.status_code": 200, ...kind },
      { "malipo.result": "duplicate", "http.response.status_code": 200, ...kind },
      { "malipo.result": "rejected", "http.response.status_code": 401 },
    ]);
    expect(count("malipo.webhooks.receive.duration")).toHaveLength(3);
    expect(count("malipo.webhooks.lag").map(({ attributes }) => attributes)).toEqual([kind]);
    expect(count("malipo.webhooks.attempts").map(({ attributes }) => attributes)).toEqual(
      Array(12).fill({ ...kind, "error.type": "RangeError" }),
    );
    expect(count("messaging.process.duration")[0]?.attributes).toEqual({
      ...kind,
      "error.type": "RangeError",
      "messaging.system": "malipo",
      "messaging.operation.name": "process",
    });
    expect(measurements.every(({ value }) => value >= 0 && value < 60)).toBe(true);
    expect(Object.fromEntries(units)).toEqual({
      "malipo.webhooks.received": "{delivery}",
      "malipo.webhooks.receive.duration": "s",
      "malipo.webhooks.lag": "s",
      "messaging.process.duration": "s",
      "malipo.webhooks.attempts": "{attempt}",
      "malipo.webhooks.dead_letters": "{event}",
    });
  });

  test("have the same kind for every event whose kind is not documented", async () => {
    const { receiver, measurements } = traced();
    receiver.onOther(() => {
      throw Object.assign(new Error("no"), { code: "0712345678 is locked", name: "Locked" });
    });
    for (const kind of ["refund.created", "refund.deleted"]) {
      const body = JSON.stringify({ event: kind, data: { reference: "1" } });
      const headers = { "x-service-signature": signWebhook(body, SECRET) };
      expect((await receiver.handle({ method: "POST", headers, body })).status).toBe(200);
    }
    await receiver.start();
    const count = (name: string) => measurements.filter((one) => one.name === name);
    await expect.poll(() => count("malipo.webhooks.attempts").length).toBeGreaterThan(1);
    await receiver.stop();
    const kinds = measurements.map(({ attributes }) => attributes["messaging.destination.name"]);
    expect([...new Set(kinds)]).toEqual(["_OTHER"]);
    expect(count("malipo.webhooks.attempts")[0]?.attributes["error.type"]).toBe("Locked");
  });

  test("of the inbox are gauges, until they are stopped", async () => {
    const { meter, collect, units } = recordingMeter();
    const { receiver, deliver } = traced();
    await deliver();
    const stop = otelInboxStats(receiver, { meter });
    const read = await collect();
    expect(read).toEqual({
      "malipo.inbox.retrying": 0,
      "malipo.inbox.waiting": 1,
      "malipo.inbox.unhandled": 0,
      "malipo.inbox.running": 0,
      "malipo.inbox.dead_letters": 0,
      "malipo.inbox.conflicts": 0,
      "malipo.inbox.lag": expect.any(Number),
      "malipo.inbox.oldest_waiting": expect.any(Number),
    });
    expect(units.get("malipo.inbox.lag")).toBe("s");
    stop();
    expect(await collect()).toEqual({});
    await receiver.stop();
  });
});

test("no span and no metric contains a body, a signature, a secret or a query", async () => {
  const { receiver, deliver, find, measurements } = traced();
  receiver.on("payment.completed", () => {});
  await receiver.start();
  await deliver();
  await expect.poll(() => find("process payment.completed").length).toBe(1);
  await receiver.stop();
  const spans = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  const all = JSON.stringify([spans, measurements]);
  for (const text of [PHONE, "PAY-71", SIGNATURE, SECRET, "t0ken"]) expect(all).not.toContain(text);
});

test("without a provider, the hooks work and store no trace", async () => {
  const stored: unknown[] = [];
  const memory = memoryInbox();
  const accept: typeof memory.accept = (delivery) => {
    stored.push(delivery.traceContext);
    return memory.accept(delivery);
  };
  const hooks = otelWebhookHooks();
  const receiver = createWebhookReceiver({ secret: SECRET, hooks, inbox: { ...memory, accept } });
  const headers = { "x-service-signature": SIGNATURE };
  const { status } = await receiver.handle({ method: "POST", headers, body: BODY });
  expect([status, stored]).toEqual([200, [undefined]]);
  otelInboxStats(receiver)();
});
