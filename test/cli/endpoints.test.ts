import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, test } from "vitest";
import { COMMANDS } from "../../src/cli/definitions/index.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { parse } from "../../src/cli/parse.ts";
import { ENDPOINTS, type Endpoint, type EndpointName } from "../../src/contract/endpoints.ts";
import { malipo } from "./command-line.ts";

const SET = ["--set", "note=x"];

/** The command that calls each endpoint. Every path parameter is X-1. */
const CALLS: Readonly<Record<EndpointName, readonly string[]>> = {
  "merchant.get": ["merchant", "get"],
  "merchant.paymentAccounts": ["merchant", "payment-accounts"],
  "payments.get": ["payments", "get", "X-1"],
  "payments.list": ["payments", "list"],
  "payments.initiate": ["payments", "initiate-raw", ...SET],
  "mobileMoney.initiate": ["payments", "initiate", "--amount", "5", "--phone", "0712345678"],
  "mobileMoney.status": ["payments", "status", ...SET],
  "mobileMoney.validatePhone": ["payments", "validate-phone", "0712345678"],
  "webhooks.register": ["webhooks", "register", "https://shop.example/webhooks"],
  "webhooks.list": ["webhooks", "list"],
  "webhooks.update": ["webhooks", "update", "X-1", ...SET],
  "webhooks.delete": ["webhooks", "delete", "X-1"],
  "invoices.create": ["invoices", "create", ...SET],
  "invoices.list": ["invoices", "list"],
  "invoices.get": ["invoices", "get", "X-1"],
  "invoices.update": ["invoices", "update", "X-1", ...SET],
  "invoices.delete": ["invoices", "delete", "X-1"],
  "invoices.send": ["invoices", "send", "X-1"],
};

const lines: string[] = [];
const service = createServer((request, response) => {
  lines.push(`${request.headers["x-api-key"]} ${request.method} ${request.url}`);
  const isList = request.method === "GET" && /(s|accounts)$/.test(request.url ?? "");
  const data = isList ? [{ id: "X-1" }] : { reference: "PAY-1", status: "pending" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ success: true, data }));
});
let baseUrl: string;
beforeAll(async () => {
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  service.close();
});

test.concurrent.for(Object.entries<Endpoint>(ENDPOINTS))(
  "a command calls %s",
  async ([name, { method, path, effect }], { expect }) => {
    const argv = CALLS[name as EndpointName];
    // Each command has another key, which tells the requests apart.
    const key = `sk_${name}`;
    const env = { MALIPO_API_KEY: key, MALIPO_BASE_URL: baseUrl };
    const { code, stderr } = await malipo(argv, { env });
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    const expected = `${key} ${method} /v1${path.replace(/\{\w+\}/, "X-1")}`;
    expect(lines.filter((line) => line.startsWith(`${key} `))).toEqual([expected]);
    const parsed = parse(COMMANDS, argv);
    // What takes effect twice says so when its outcome is not known.
    const creates = parsed.kind === "call" && parsed.subcommand.creates === true;
    expect(creates).toBe(effect === "create");
  },
);
