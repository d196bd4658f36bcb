import { type LambdaRequest, lambdaHandler } from "malipo/lambda";
import { createWebhookReceiver } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { type Delivery, type Mounting, PATH } from "../../suites/webhook-mount.ts";
import { SECRET, utf8 } from "../../suites/webhook-sample.ts";
import { signed } from "../../suites/webhook-stage.ts";

type Bodied = Pick<LambdaRequest, "body" | "isBase64Encoded">;

const inBase64 = ({ body = new Uint8Array() }: Delivery): Bodied => ({
  body: Buffer.from(body).toString("base64"),
  isBase64Encoded: true,
});

/** As text if it is text, otherwise in base64. */
function asText(delivery: Delivery): Bodied {
  const { body = new Uint8Array() } = delivery;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  if (!Buffer.from(text).equals(body)) return inBase64(delivery);
  return { body: text === "" ? null : text, isBase64Encoded: false };
}

const lists = ({ headers = {} }: Delivery) =>
  Object.entries(headers).map(([name, value]): [string, string[]] => [name, [value].flat()]);

/** API Gateway, payload 1.0. */
const v1 = (delivery: Delivery, bodied: Bodied): LambdaRequest => ({
  httpMethod: delivery.method ?? "POST",
  path: PATH,
  requestContext: {},
  headers: Object.fromEntries(lists(delivery).map(([name, values]) => [name, values.at(-1)])),
  multiValueHeaders: Object.fromEntries(lists(delivery)),
  ...bodied,
});

/** API Gateway, payload 2.0, and function URLs. */
function v2(delivery: Delivery, bodied: Bodied): LambdaRequest {
  const headers: Record<string, string> = {};
  for (const [name, values] of lists(delivery)) {
    const known = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = [known, ...values].filter((one) => one !== undefined).join(",");
  }
  return {
    rawPath: PATH,
    requestContext: { http: { method: delivery.method ?? "POST" } },
    headers,
    ...bodied,
  };
}

const ELB = {
  elb: { targetGroupArn: "arn:aws:elasticloadbalancing:af-south-1:1:targetgroup/shop" },
};

/** A load balancer that sends lists of values, and no single ones. */
function alb(delivery: Delivery): LambdaRequest {
  const { headers: _, ...event } = v1(delivery, inBase64(delivery));
  return { ...event, requestContext: ELB };
}

const mounting =
  (event: (delivery: Delivery) => LambdaRequest): Mounting =>
  (receiver) => ({
    deliver: async (delivery) => {
      const { statusCode: status, headers, body } = await lambdaHandler(receiver)(event(delivery));
      return { status, headers, body };
    },
  });

const PLACES: [name: string, event: (delivery: Delivery) => LambdaRequest][] = [
  ["API Gateway v1, text", (delivery) => v1(delivery, asText(delivery))],
  ["API Gateway v1, base64", (delivery) => v1(delivery, inBase64(delivery))],
  ["API Gateway v2, text", (delivery) => v2(delivery, asText(delivery))],
  ["a function URL, base64", (delivery) => v2(delivery, inBase64(delivery))],
  ["a load balancer, lists of values", alb],
];

for (const [name, event] of PLACES) {
  testAdapter({
    name: `lambdaHandler behind ${name}`,
    isCalledWith: "any headers",
    mount: mounting(event),
    spoilt: [
      [
        "a middleware that parses",
        mounting((delivery) => ({ ...event(delivery), body: { event: "a" } as never })),
        /Lambda: remove `httpJsonBodyParser\(\)`/,
      ],
    ],
  });
}

describe("lambdaHandler", () => {
  const body = utf8('{"event":"payment.completed","data":{"payer_name":"José é 🧾"}}');
  const base64 = Buffer.from(body).toString("base64");
  const handler = lambdaHandler(createWebhookReceiver({ secret: SECRET, onError() {} }));

  test.each<[name: string, given: Partial<LambdaRequest>, status: number]>([
    ["base64 with the flag", { body: base64, isBase64Encoded: true }, 200],
    ["base64 without the flag", { body: base64, isBase64Encoded: false }, 401],
    ["base64 if the flag is missing", { body: base64 }, 401],
    ["text with the flag", { body: Buffer.from(body).toString(), isBase64Encoded: true }, 200],
    ["text", { body: Buffer.from(body).toString() }, 200],
    ["base64 without its padding", { body: base64.replace(/=+$/, ""), isBase64Encoded: true }, 200],
    ["empty lists of headers", { body: base64, isBase64Encoded: true, multiValueHeaders: {} }, 200],
    [
      "a load balancer that sends single values",
      { body: base64, isBase64Encoded: true, requestContext: ELB },
      200,
    ],
    ["no method", { body: base64, isBase64Encoded: true, httpMethod: undefined }, 405],
    ["no headers", { body: base64, isBase64Encoded: true, headers: null }, 401],
    ["no body", { body: null }, 401],
  ])("reads the bytes in every encoding: %s", async (_, given, status) => {
    const headers = signed(body).headers as Record<string, string>;
    const event: LambdaRequest = { httpMethod: "POST", headers, ...given };
    expect((await handler(event)).statusCode).toBe(status);
  });

  test.each<[name: string, address: Partial<LambdaRequest>]>([
    ["v1", { path: "/hooks", multiValueQueryStringParameters: { shop: ["a b", "c&d"] } }],
    ["v1, single values", { path: "/hooks", queryStringParameters: { shop: "c&d" } }],
    ["v2", { rawPath: "/hooks", rawQueryString: "shop=a%20b&shop=c%26d" }],
  ])("hands over the path and the query of %s", async (_, address) => {
    const seen: string[] = [];
    const receiver = createWebhookReceiver({
      merchant: ({ url }) => {
        seen.push(url.pathname, url.searchParams.getAll("shop").at(-1) ?? "");
        return "shop";
      },
      secret: () => SECRET,
    });
    const headers = signed(body).headers as Record<string, string>;
    const event = { httpMethod: "POST", headers, body: base64, isBase64Encoded: true, ...address };
    expect((await lambdaHandler(receiver)(event)).statusCode).toBe(200);
    expect(seen).toEqual(["/hooks", "c&d"]);
  });

  test("returns headers in lists to a load balancer that sends them so", async () => {
    const { "X-Service-Signature": signature = "" } = signed(body).headers as Record<
      string,
      string
    >;
    const multiValueHeaders = { "x-service-signature": [signature] };
    const event = { httpMethod: "POST", multiValueHeaders, body: base64, isBase64Encoded: true };
    expect(await handler(event)).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "application/json" },
      multiValueHeaders: { "content-type": ["application/json"] },
    });
  });

  test("returns the form that API Gateway sends as text", async () => {
    const headers = signed(body).headers as Record<string, string>;
    const event = { httpMethod: "POST", headers, body: base64, isBase64Encoded: true };
    const handle = lambdaHandler(createWebhookReceiver({ secret: SECRET }));
    expect(await handle(event)).toEqual({
      statusCode: 200,
      headers: { "content-type": "application/json" },
      body: '{"ResultCode":0,"ResultDesc":"received"}',
      isBase64Encoded: false,
    });
  });
});
