import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, test } from "vitest";
import { COMMANDS } from "../../src/cli/definitions/index.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { parse } from "../../src/cli/parse.ts";
import { ROWS } from "../support/endpoints.ts";
import { malipo } from "./in-process.ts";

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

test("an address is not registered twice", async ({ expect }) => {
  const sandbox = createSandbox();
  const served = await sandbox.serve({ port: 0 });
  const env = { MALIPO_API_KEY: sandbox.keys.secret, MALIPO_BASE_URL: served.baseUrl };
  const register = () => malipo(["webhooks", "register", "https://shop.example/webhooks"], { env });
  expect((await register()).code).toBe(EXIT.ok);
  const second = await register();
  expect([second.code, second.stderr]).toEqual([
    EXIT.failed,
    expect.stringMatching(/registered already: \w+\. Nothing was done/),
  ]);
  await served.close();
});

test.concurrent.for(ROWS)(
  "a command calls $name",
  async ({ name, method, route, effect, command }, { expect }) => {
    const argv = command.split(" ");
    // Each command has another key, which tells the requests apart.
    const key = `sk_${name}`;
    const env = { MALIPO_API_KEY: key, MALIPO_BASE_URL: baseUrl };
    const { code, stderr } = await malipo(argv, { env });
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    const expected = `${key} ${method} /v1${route.replace(/\{\w+\}/, "X-1")}`;
    expect(lines.filter((line) => line.startsWith(`${key} `))).toEqual([
      // It looks whether the address is registered already.
      ...(name === "webhooks.register" ? [`${key} GET /v1/webhooks`] : []),
      expected,
    ]);
    const parsed = parse(COMMANDS, argv);
    // What takes effect twice says so when its outcome is not known.
    const creates = parsed.kind === "call" && parsed.subcommand.creates === true;
    expect(creates).toBe(effect === "create");
  },
);
