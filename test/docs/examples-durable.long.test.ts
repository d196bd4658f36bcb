import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Gateway } from "malipo";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRestate } from "../support/engines/restate.ts";
import { type Example, runExample } from "./support/example.ts";

const [postgres, restate] = await Promise.all([startPostgres(), startRestate()]);
const PHONE = "0712345678";

const sandbox = createSandbox({ clock: "real" });
let served: ServedSandbox;
let gateway: Gateway;
const running: Example[] = [];
let passes = true;

beforeAll(async () => {
  served = await sandbox.serve({ port: 0 });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: served.baseUrl });
});
afterEach(() => Promise.all(running.splice(0).map((one) => one.end("SIGKILL"))));
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await served.close();
  await restate?.stop();
  await postgres?.stop();
});

/** The references of the prompts for an order, in the gateway's own ledger. */
async function promptsFor(order: string): Promise<unknown[]> {
  const { items } = await gateway.payments.list({ per_page: 100 });
  const own = items.filter(({ account_reference }) => account_reference === order);
  return own.map(({ status }) => status);
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { port } = proxy.address() as AddressInfo;
  const common = {
    DATABASE_URL: postgres?.url ?? "",
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
    MALIPO_BASE_URL: `http://127.0.0.1:${port}${new URL(served.baseUrl).pathname}`,
  };
  const example = await runExample(args, { ...common, ...env }, false);
  running.push(example);
  return example;
}

/** Passes everything to the service, but the response to a prompt only if it `passes`. */
const proxy = createServer(async (request, response) => {
  const { method = "GET", url = "/" } = request;
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = method === "GET" ? null : Buffer.concat(chunks);
  const headers = { "x-api-key": sandbox.keys.secret, "content-type": "application/json" };
  const answer = await fetch(new URL(url, served.baseUrl), { method, headers, body });
  const text = await answer.text();
  if (method === "GET" || passes) response.writeHead(answer.status).end(text);
});

const reject = () =>
  sandbox.faults.add({
    match: { endpoint: "mobileMoney.initiate" },
    effect: { kind: "status", status: 422, body: { success: false, error: "not now" } },
  });

describe.skipIf(postgres === undefined)("a payment as a step of DBOS", () => {
  const run = (order: string) => start(["examples/durable/dbos.ts", order]);

  test("is prompted for once and paid once, if the process is killed in the middle of the step", async () => {
    passes = false;
    const killed = await run("DBOS-1");
    await expect.poll(() => promptsFor("DBOS-1")).toEqual(["pending"]);
    await killed.end("SIGKILL");
    passes = true;
    const again = await run("DBOS-1");
    sandbox.phone(PHONE).approve();
    await expect.poll(again.printed).toContain("shipped");
    expect(again.printed().match(/ship DBOS-1/g)).toHaveLength(1);
    expect(await promptsFor("DBOS-1")).toEqual(["completed"]);
    expect(killed.printed()).not.toContain("ship");
  });

  test("ends the workflow when the service rejects it, and is not run again", async () => {
    reject();
    const rejected = await run("DBOS-2");
    await expect.poll(rejected.printed).toContain("not paid");
    expect(await promptsFor("DBOS-2")).toEqual([]);
  });
});

describe.skipIf(restate === undefined || postgres === undefined)(
  "a payment as a step of Restate",
  () => {
    const { url = "", adminUrl = "" } = restate ?? {};
    let port: number;
    const run = () => start(["examples/durable/restate.ts"], { PORT: `${port}` });

    const send = async (address: string, body: object): Promise<[number, string]> => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(address, init);
      return [response.status, await response.text()];
    };
    const checkout = (order: string) =>
      send(`${url}/checkout/${order}/run`, { amount: 1500, phone: PHONE });
    const register = async () =>
      (await send(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${port}`, force: true }))[0];

    beforeAll(async () => {
      port = await freePort();
    });

    test("is prompted for once and paid once, if the process is killed in the middle of the step", async () => {
      passes = false;
      const killed = await run();
      await expect.poll(register).toBe(201);
      const response = checkout("RST-1");
      await expect.poll(() => promptsFor("RST-1")).toEqual(["pending"]);
      await killed.end("SIGKILL");
      passes = true;
      const again = await run();
      sandbox.phone(PHONE).approve();
      expect(await response).toEqual([200, '"shipped"']);
      expect(again.printed().match(/ship RST-1/g)).toHaveLength(1);
      expect(await promptsFor("RST-1")).toEqual(["completed"]);
      expect(killed.printed()).not.toContain("ship");
    });

    test("ends the workflow when the service rejects it, and is not run again", async () => {
      reject();
      await run();
      await expect.poll(register).toBeLessThan(300);
      const [status, text] = await checkout("RST-2");
      expect([status, text]).toEqual([200, '"not paid"']);
      expect(await promptsFor("RST-2")).toEqual([]);
    });
  },
);
