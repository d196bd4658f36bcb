import { context, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Gateway } from "malipo";
import { otelHooks } from "malipo/otel";
import { createSandbox } from "malipo/sandbox";
import { beforeEach, expect, test } from "vitest";

const PHONE = "254712345678";
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer("test");
beforeEach(() => exporter.reset());

function traced(fetch?: typeof globalThis.fetch) {
  const sandbox = createSandbox();
  const gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    fetch: fetch ?? sandbox.fetch,
    hooks: otelHooks({ tracer }),
  });
  return { sandbox, gateway };
}

test("an attempt is an HTTP client span with the name of its endpoint", async () => {
  const { sandbox, gateway } = traced();
  const { reference } = await gateway.mobileMoney.initiate({ amount: 10, phone: PHONE });
  exporter.reset();
  await gateway.payments.get(reference);
  const [span, ...others] = exporter.getFinishedSpans();
  expect(others).toEqual([]);
  expect(span).toMatchObject({ name: "GET /payments/{reference}", kind: 2, status: { code: 0 } });
  expect(span?.attributes).toEqual({
    "http.request.method": "GET",
    "url.full": `${sandbox.baseUrl}/payments/${reference}`,
    "server.address": "sandbox.malipo.test",
    "server.port": 443,
    "http.response.status_code": 200,
    "malipo.endpoint": "GET /payments/{reference}",
    "malipo.attempt": 1,
  });
});

test("each attempt of a call has its own span with its result", async () => {
  const { sandbox, gateway } = traced();
  sandbox.faults.add({ match: {}, effect: { kind: "status", status: 503 } });
  sandbox.faults.add({ match: {}, effect: { kind: "reset" } });
  await gateway.merchant.get();
  const spans = exporter.getFinishedSpans();
  expect(spans.map((span) => span.attributes["malipo.attempt"])).toEqual([1, 2, 3]);
  expect(spans.map((span) => span.attributes["http.request.resend_count"])).toEqual([
    undefined,
    1,
    2,
  ]);
  expect(spans.map((span) => span.attributes["error.type"])).toEqual([
    "503",
    "connection",
    undefined,
  ]);
  expect(spans.map((span) => span.attributes["malipo.outcome"])).toEqual([
    "unknown",
    "unknown",
    undefined,
  ]);
  expect(spans.map((span) => span.status.code)).toEqual([2, 2, 0]);
});

test("the span of a rejected call has its error type, and no text of the response", async () => {
  const { gateway } = traced();
  const failed = gateway.mobileMoney.initiate({ amount: 999_999, phone: PHONE });
  await expect(failed).rejects.toMatchObject({ outcome: "rejected" });
  const [span] = exporter.getFinishedSpans();
  expect(span?.attributes).toMatchObject({ "error.type": "422", "malipo.outcome": "rejected" });
  expect(span?.status).toEqual({ code: 2 });
  expect(span?.events).toEqual([]);
});

test("an aborted attempt ends its span", async () => {
  const controller = new AbortController();
  const { gateway } = traced(() => {
    controller.abort(new Error("gone"));
    return new Promise(() => {});
  });
  await expect(gateway.merchant.get({ signal: controller.signal })).rejects.toThrow("gone");
  const [span] = exporter.getFinishedSpans();
  expect(span?.attributes).toMatchObject({
    "error.type": "aborted",
    "malipo.outcome": "unknown",
  });
});

test("concurrent calls do not mix their spans", async () => {
  const { gateway } = traced();
  await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      index % 2 ? gateway.merchant.get() : gateway.payments.get(`none-${index}`),
    ),
  );
  const spans = exporter.getFinishedSpans();
  expect(spans).toHaveLength(50);
  for (const { name, attributes } of spans) {
    const found = name === "GET /merchant" ? 200 : 404;
    expect(attributes["http.response.status_code"]).toBe(found);
  }
});

test("a span is a child of the active span", async () => {
  const { gateway } = traced();
  const parent = tracer.startSpan("checkout");
  let parentId: string | undefined;
  const active = trace.setSpan(context.active(), parent);
  context.setGlobalContextManager({
    active: () => active,
    with: (_, work, self, ...rest) => work.call(self as never, ...rest),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  try {
    await gateway.merchant.get();
    parentId = exporter.getFinishedSpans()[0]?.parentSpanContext?.spanId;
  } finally {
    context.disable();
  }
  expect(parentId).toBe(parent.spanContext().spanId);
});

test("no span contains an API key, a phone number or a body", async () => {
  const { sandbox, gateway } = traced();
  await gateway.mobileMoney.initiate({
    amount: 10,
    phone: PHONE,
    description: "a secret description",
  });
  await gateway.payments.list({ phone: PHONE }).catch(() => {});
  await gateway.request({ method: "GET", path: `/customers/${PHONE}` }).catch(() => {});
  const all = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    })),
  );
  expect(exporter.getFinishedSpans()).toHaveLength(3);
  for (const secret of [sandbox.keys.secret, PHONE, "secret description"]) {
    expect(all).not.toContain(secret);
  }
});
