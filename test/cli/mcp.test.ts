import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { startReceiver } from "./command-line.ts";
import { type Running, startCommand, startSandbox } from "./in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-mcp-"));
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = "sk_live_canary0123456789";
const SECRET = "whsec_canary0123456789";
const PIN = "471147";

/**
 * What a model may say, by tool. A new flag of a command is no field of its tool until it is allowed in
 * `src/cli/flags` or `src/cli/definitions`, and listed here. None may name a file, a folder, a store or
 * another machine.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  phone_approve: ["number", "reference"],
  phone_cancel: ["number", "reference"],
  phone_wrong_pin: ["number", "reference"],
  phone_ignore: ["number", "reference"],
  phone_off: ["number", "reference"],
  phone_on: ["number", "reference"],
  phone_balance: ["number", "balance", "reference"],
  phone_always: ["number", "answer", "reference"],
  clock_now: [],
  clock_advance: ["by"],
  events_list: ["state", "payment", "limit"],
  events_show: ["id"],
  events_resend: ["id"],
  events_resend_failed: [],
  events_test: ["id", "event"],
  requests_list: ["limit"],
  faults_list: [],
  faults_add: [...["kind", "endpoint", "method", "path", "status", "body", "ms", "after", "times"]],
  faults_remove: ["id"],
  faults_clear: [],
  chaos_start: [
    ...["duplicate", "reorder", "delay", "drop", "bad_signature", "stale_timestamp"],
    ...["rotate_secret", "api_errors", "lost_responses", "seed"],
  ],
  chaos_end: [],
  scenes_list: [],
  scenes_save: ["name"],
  scenes_load: ["name"],
  scenes_remove: ["name"],
  reset: ["keep_receivers", "save_as"],
  // Only a receiver on this machine.
  doctor: ["webhook"],
  payments_get: ["reference"],
  payments_list: ["query"],
  payments_initiate: [
    ...["amount", "phone", "account_reference", "description", "payment_account_id"],
  ],
  webhooks_register: ["receiver", "name", "event"],
  webhooks_list: ["query"],
  explain: ["code"],
};

/** A session of the SDK's client with `malipo mcp`. */
async function connect(args: readonly string[] = [], env: Record<string, string> = {}) {
  const errors: Error[] = [];
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const command = startCommand(
    ["mcp", ...args],
    { env, cwd: folder },
    { stdin: toServer, stdout: { write: (text) => toClient.write(text) } },
  );
  const client = new Client({ name: "test", version: "1" });
  // Anything on standard output that is not of the protocol is an error of the client.
  client.onerror = (error) => errors.push(error);
  let output = "";
  // The transport of a server reads and writes two streams: here, those of the other side.
  await client.connect(new StdioServerTransport(toClient, toServer));
  const call = async (name: string, fields: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: fields });
    const [{ text }] = result.content as [{ text: string }];
    output += text;
    // biome-ignore lint/suspicious/noExplicitAny: every tool returns another shape
    return { isError: result.isError ?? false, value: JSON.parse(text) as any };
  };
  const stop = async () => {
    await client.close();
    toServer.end();
    await command.ended;
  };
  return { client, call, errors, output: () => output + command.stderr(), stop };
}

type Session = Awaited<ReturnType<typeof connect>>;

const opened: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.stop();
});

async function open(args: readonly string[] = [], env: Record<string, string> = {}) {
  const session = await connect(args, env);
  opened.push(session);
  return session;
}

async function start(args: readonly string[] = [], cwd = folder): Promise<Running> {
  const sandbox = await startSandbox(args, { cwd });
  opened.push(sandbox);
  return sandbox;
}

/** What is tried when no sandbox is found. One of the developer would be found there. */
const isTaken = await fetch("http://127.0.0.1:4010").then(
  () => true,
  () => false,
);
const withFreePort = test.skipIf(isTaken);

describe("malipo mcp with a running sandbox", () => {
  let sandbox: Running;
  let session: Session;
  beforeEach(async () => {
    sandbox = await start(["--clock", "virtual"]);
    session = await open();
  });

  test("lists tools with the fields and hints of their rows", async () => {
    const { tools } = await session.client.listTools();
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(byName).toMatchObject({
      phone_approve: {
        description: expect.stringContaining("pays the open prompt"),
        inputSchema: { required: ["number"], properties: { reference: { type: "string" } } },
        annotations: { readOnlyHint: false, destructiveHint: false },
      },
      faults_add: { inputSchema: { properties: { status: { type: "number" } } } },
      events_list: { annotations: { readOnlyHint: true } },
      requests_list: { annotations: { readOnlyHint: true } },
      payments_get: { annotations: { readOnlyHint: true } },
      reset: { annotations: { readOnlyHint: false, destructiveHint: true } },
    });
    const names = ["clock_advance", "payments_initiate", "explain", "doctor"];
    expect(Object.keys(byName)).toEqual(expect.arrayContaining(names));
    const fields = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(fields).not.toContain("url");
    expect(Object.keys(byName).filter((name) => /key|export|import/.test(name))).toEqual([]);
  });

  test("offers the fields that are allowed for models, and no other", async () => {
    const { tools } = await session.client.listTools();
    const fields = tools.map(({ name, inputSchema }) => [
      name,
      Object.keys(inputSchema.properties ?? {}),
    ]);
    expect(Object.fromEntries(fields)).toEqual(FIELDS);
  });

  test("no tool reads a file of variables, nor says whether it exists", async () => {
    const file = join(folder, "secrets.env");
    writeFileSync(file, "MALIPO_LOG=debug\n");
    const messages = await Promise.all(
      [file, `${file}.missing`, "/dev/stdin"].flatMap((path) =>
        ["env_file", "env-file"].map((field) => session.call("payments_list", { [field]: path })),
      ),
    );
    for (const { isError, value } of messages) {
      expect([isError, value.error?.message]).toEqual([
        true,
        expect.stringContaining("payments_list has no option"),
      ]);
    }
  });

  test("a payment is started, approved on the phone and delivered", async () => {
    const receiver = await startReceiver();
    opened.push({ stop: receiver.close });
    await session.call("webhooks_register", { receiver: receiver.url });
    const { value } = await session.call("payments_initiate", { amount: 100, phone: "0712345678" });
    const approved = await session.call("phone_approve", { number: "0712345678" });
    expect(approved.value.payment).toMatchObject({ status: "completed", amount: "100.00" });
    const { reference } = value;
    expect((await session.call("payments_get", { reference })).value.status).toBe("completed");
    const moved = await session.call("clock_advance", { by: "61s" });
    expect(moved.value.clock).toBe("virtual");
    const { deliveries } = (await session.call("events_list", { payment: reference })).value;
    expect(deliveries).toMatchObject([
      { event: "payment.completed", state: "delivered" },
      { event: "payment.initiated", state: "delivered" },
    ]);
    const { requests } = (await session.call("requests_list", { limit: 1 })).value;
    expect(requests).toMatchObject([{ line: `GET /payments/${reference}` }]);
    expect(receiver.received).toHaveLength(2);
    expect(session.errors).toEqual([]);
  });

  test("doctor checks the sandbox, and explain explains a code", async () => {
    const { value } = await session.call("doctor");
    expect(value).toMatchObject({ healthy: true });
    expect((await session.call("explain", { code: 1037 })).value.cause).toContain("phone");
  });

  test("no tool sends anything to an address that is not of this machine", async () => {
    const receiver = await startReceiver();
    opened.push({ stop: receiver.close });
    // Linux delivers what is sent to 0.0.0.0 to this machine: the request would arrive.
    const addresses = [
      receiver.url.replace("127.0.0.1", "0.0.0.0"),
      receiver.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
      "https://shop.example/webhooks?order=1042",
      "https://localhost.shop.example/",
      "https://127.0.0.1@shop.example/",
    ];
    for (const address of addresses) {
      for (const [tool, field] of [
        ["doctor", "webhook"],
        ["webhooks_register", "receiver"],
      ] as const) {
        const { isError, value } = await session.call(tool, { [field]: address });
        expect([isError, value.error?.message]).toEqual([
          true,
          expect.stringContaining(`\`${field}\` of ${tool} must be an address of this machine`),
        ]);
      }
    }
    expect(receiver.received).toEqual([]);
    expect((await session.call("webhooks_list")).value.items).toEqual([]);
  });

  test("doctor does not return the target of a redirect", async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(302, { location: "http://10.0.0.7/internal?ticket=4711" }).end(),
    );
    opened.push({ stop: receiver.close });
    const { value } = await session.call("doctor", { webhook: receiver.url });
    expect(value.healthy).toBe(false);
    expect(JSON.stringify(value)).toContain("does not follow redirects");
    expect(session.output()).not.toContain("10.0.0.7");
  });

  test("a mistake is a result that names it, and the session goes on", async () => {
    const messages = await Promise.all([
      session.call("phone_aprove", { number: "0712345678" }),
      session.call("phone_approve", {}),
      session.call("phone_approve", { number: "0712345678" }),
      session.call("phone_approve", { number: "--url=http://127.0.0.1:1" }),
      session.call("events_list", { url: "http://127.0.0.1:1" }),
      session.call("events_list", { state: "late" }),
    ]);
    expect(messages.map(({ isError, value }) => [isError, value.error.message])).toEqual([
      [true, expect.stringContaining('no tool "phone_aprove". Did you mean "phone_approve"?')],
      [true, expect.stringContaining("requires <number>")],
      [true, expect.stringMatching(/no (open )?prompt/)],
      [true, expect.stringContaining("must be the number of a mobile phone")],
      [true, expect.stringContaining("events_list has no option")],
      [true, expect.stringContaining('--state cannot be "late"')],
    ]);
    expect((await session.call("clock_now")).isError).toBe(false);
  });

  withFreePort(
    "a sandbox that stops is an error with what to do, and another one is found",
    async () => {
      expect((await session.call("clock_now")).isError).toBe(false);
      await sandbox.stop();
      const { isError, value } = await session.call("clock_now");
      expect([isError, value.error.message]).toEqual([
        true,
        expect.stringContaining("Start one: malipo sandbox"),
      ]);
      expect((await session.call("explain", { code: "1037" })).isError).toBe(false);
      await start();
      expect((await session.call("payments_list")).value.items).toEqual([]);
      expect(session.errors).toEqual([]);
    },
  );
});

describe("malipo mcp with two sandboxes", () => {
  test("finds the one that was started in its folder, or the one of --url", async () => {
    const other = await start(["--clock", "virtual"], tmpdir());
    await start(["--clock", "real"]);
    expect((await (await open()).call("clock_now")).value.clock).toBe("real");
    const chosen = await open([...other.url]);
    expect((await chosen.call("clock_now")).value.clock).toBe("virtual");
  });

  test("names both if it is not clear which one is meant", async () => {
    const [one, two] = [await start(), await start()];
    const { isError, value } = await (await open()).call("clock_now");
    expect(isError).toBe(true);
    expect(value.error.message).toContain("2 sandboxes are running");
    for (const { ready } of [one, two]) expect(value.error.message).toContain(ready.url);
  });
});

describe("secrets", () => {
  test("no tool prints a key, a PIN or a webhook secret, wherever it stands", async () => {
    const sandbox = await start();
    const env = { MALIPO_API_KEY: `${KEY}-env`, MALIPO_WEBHOOK_SECRET: "no usual form 4711" };
    const session = await open([], { ...env, MALIPO_BASE_URL: "http://127.0.0.1:1/v1" });
    const { keys, webhook_secret: secret } = sandbox.ready;
    const text = `${KEY} ${SECRET} pin=${PIN} ${keys.secret} ${secret}`;
    // In the sandbox's records: in paths, bodies, names, addresses and labels.
    await sandbox.call("POST", `/mobile-money/payment/initiate?key=${KEY}`, {
      ...{ amount: 100, phone: "0712345678", description: text, pin: PIN, secret: SECRET },
    });
    await sandbox.call("GET", `/payments/${KEY}?next=http%3a%2F%2Fa%3A${KEY}`);
    await sandbox.call("POST", "/x", { nested: JSON.stringify({ pin: PIN, text: env }) });
    const url = `http://u:${KEY}@127.0.0.1:1/hook?secret=${secret}`;
    await session.call("webhooks_register", { receiver: url, name: text });
    await session.call("faults_add", { kind: "status", body: text, path: `/${KEY}`, times: "1" });
    await session.call("scenes_save", { name: KEY });
    await session.call("chaos_start", { duplicate: 0.1, seed: text });
    await session.call("phone_approve", { number: "0712345678" });
    const { tools } = await session.client.listTools();
    for (const { name, inputSchema } of tools) {
      const fields = Object.entries(inputSchema.properties ?? {}) as [string, { type: string }][];
      const given = (value: string) =>
        Object.fromEntries(
          fields.map(([field, { type }]) => [field, { boolean: true, number: 5 }[type] ?? value]),
        );
      await session.call(name);
      await session.call(name, given(text));
      await session.call(name, given(KEY));
      await session.call(name, given(url));
    }
    const printed = session.output();
    // The test has put them into what tools print, so that there is something to hide.
    expect(printed.split("[hidden]").length).toBeGreaterThan(20);
    const all = [KEY, SECRET, PIN, secret, env.MALIPO_WEBHOOK_SECRET, ...Object.values(keys)];
    for (const one of all as string[]) {
      expect(printed).not.toContain(one);
      expect(printed).not.toContain(encodeURIComponent(one));
      expect(printed).not.toContain(Buffer.from(one).toString("base64"));
    }
    expect(session.errors).toEqual([]);
  });

  withFreePort("a live key in the environment is neither used nor sent", async () => {
    const service = await startReceiver();
    opened.push({ stop: service.close });
    const sandbox = await start();
    const session = await open([], { MALIPO_API_KEY: KEY, MALIPO_BASE_URL: service.url });
    expect((await session.call("payments_list")).value.items).toEqual([]);
    expect((await session.call("doctor")).value.healthy).toBe(true);
    await sandbox.stop();
    expect((await session.call("payments_list")).isError).toBe(true);
    expect(service.received).toEqual([]);
  });
});
