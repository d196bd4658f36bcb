import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { startReceiver } from "./command-line.ts";
import { malipo, type Running, startSandbox } from "./in-process.ts";

// All tests share one sandbox. Each test has its own phone.
let sandbox: Running;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  receiver = await startReceiver();
  sandbox = await startSandbox(["--clock", "virtual", "--webhook", receiver.url]);
});
afterAll(async () => {
  await sandbox.stop();
  receiver.close();
});

async function prompt(phone: string): Promise<string> {
  const response = await sandbox.call("POST", "/payments/initiate", { amount: 50, phone });
  return (await response.json()).data.reference;
}

const statusOf = async (reference: string) =>
  (await (await sandbox.call("GET", `/payments/${reference}`)).json()).data.status;

describe.concurrent("malipo phone", () => {
  test.for([
    ["approve", "completed"],
    ["cancel", "failed"],
    ["wrong-pin", "failed"],
    ["ignore", "pending"],
  ] as const)("%s: the payment is %s", async ([action, status], { expect }) => {
    const phone = `07120000${action.length}${status.length}`;
    const reference = await prompt(phone);
    const { code, json } = await malipo(["phone", action, phone, ...sandbox.url, "--json"]);
    expect(code).toBe(EXIT.ok);
    expect(json()).toMatchObject({
      number: `254${phone.slice(1)}`,
      payment: { reference, status },
    });
    expect(await statusOf(reference)).toBe(status);
    const again = await malipo(["phone", action, phone, ...sandbox.url]);
    expect(again.code).toBe(EXIT.failed);
    expect(again.stderr).toMatch(/shows no prompt|ignores this prompt/);
  });

  test("off and on: a phone that is off shows no prompt", async ({ expect }) => {
    const phone = "0712111000";
    const off = await malipo(["phone", "off", phone, ...sandbox.url]);
    expect(off.code).toBe(EXIT.ok);
    expect(off.stdout).toMatch(/^The phone is off\.\n +phone +254712111000\n$/);
    const reference = await prompt(phone);
    const rejected = await malipo(["phone", "approve", phone, ...sandbox.url]);
    expect(rejected.stderr).toContain("is switched off");
    expect((await malipo(["phone", "on", phone, ...sandbox.url, "--json"])).json()).toEqual({
      number: "254712111000",
    });
    await malipo(["phone", "approve", phone, ...sandbox.url]);
    expect(await statusOf(reference)).toBe("completed");
  });

  test.for(["12", "hello", "../status", "%"])(
    "rejects the number %j",
    async (number, { expect }) => {
      const { code, stderr } = await malipo(["phone", "approve", number, ...sandbox.url]);
      expect(code).toBe(EXIT.usage);
      expect(stderr).toContain("must be the number of a mobile phone");
    },
  );

  test("says how to start a sandbox if none is running", async ({ expect }) => {
    const closed = await startReceiver();
    closed.close();
    const { origin } = new URL(closed.url);
    const { code, stderr } = await malipo(["phone", "on", "0712111001", "--url", origin]);
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toContain("Start one: malipo sandbox");
  });

  test("reports a server that is not a sandbox", async ({ expect }) => {
    const { origin } = new URL(receiver.url);
    const { code, stderr } = await malipo(["phone", "on", "0712111001", "--url", origin]);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain("not a sandbox of this version");
  });
});

const NONSENSE = [{}, null, { deliveries: [null], requests: [null], faults: [{}] }];

const READERS = [
  ...[["env"], ["clock", "now"], ["events", "list"], ["events", "show", "dlv_1"]],
  ...[
    ["requests", "list"],
    ["faults", "list"],
    ["scenes", "list"],
    ["logs", "--once"],
  ],
  ...[
    ["phone", "approve", "0712345678"],
    ["events", "resend", "dlv_1"],
    ["clock", "advance", "1s"],
  ],
];

describe.concurrent("a server that responds with nonsense", () => {
  test.for(NONSENSE)(
    "is no sandbox, and no command prints a stack: %j",
    async (data, { expect }) => {
      const server = await startReceiver((_, response) => {
        response.end(JSON.stringify({ success: true, data }));
      });
      const url = ["--url", new URL(server.url).origin];
      const exits = await Promise.all(READERS.map((words) => malipo([...words, ...url])));
      server.close();
      for (const { stderr } of exits) {
        expect(stderr).not.toMatch(/\n\s+at /);
        expect(stderr === "" || stderr.startsWith("malipo: ")).toBe(true);
      }
      expect(exits[0]?.stderr).toMatch(/does not understand|not a sandbox/);
    },
  );
});

// Not concurrent: all tests move the same clock.
describe("malipo clock", () => {
  const now = async () => (await malipo(["clock", "now", ...sandbox.url, "--json"])).json();

  test("advance makes a prompt expire, and prints the time", async () => {
    const reference = await prompt("0712222000");
    const before = await now();
    expect(before.clock).toBe("virtual");
    const { code, stdout } = await malipo(["clock", "advance", "61s", ...sandbox.url]);
    expect(code).toBe(EXIT.ok);
    const after = await now();
    expect(stdout).toContain(after.now);
    expect(stdout).toMatch(/clock +virtual/);
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(61_000);
    expect(await statusOf(reference)).toBe("failed");
  });

  test.each([
    ["-5s", "a number with a unit"],
    ["-1", "a number with a unit"],
    ["soon", "a number with a unit"],
    ["5", "a number with a unit"],
    ["5 parsecs", "a number with a unit"],
  ])("advance %s is rejected, and the clock does not move", async (by, message) => {
    const before = await now();
    const { code, stderr } = await malipo(["clock", "advance", by, ...sandbox.url]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
    expect(await now()).toEqual(before);
  });
});

describe("malipo events", () => {
  test("list shows deliveries, newest first, and resend sends one again", async () => {
    await prompt("0712333000");
    const list = (...flags: string[]) => malipo(["events", "list", ...sandbox.url, ...flags]);
    await expect
      .poll(async () => (await list("--json", "--limit", "1")).json().deliveries[0]?.state)
      .toBe("delivered");
    const { deliveries, total } = (await list("--json", "--limit", "2")).json();
    expect(deliveries).toHaveLength(2);
    expect(total).toBeGreaterThan(2);
    expect(deliveries[0]).toMatchObject({ event: "payment.initiated", url: receiver.url });
    const text = await list();
    expect(text.stdout).toContain(deliveries[0].id);
    expect(text.stdout).toContain("200 in");

    const before = receiver.received.length;
    const again = await malipo(["events", "resend", deliveries[0].id, ...sandbox.url, "--json"]);
    expect(again.code).toBe(EXIT.ok);
    expect(again.json().attempts).toHaveLength(2);
    expect(receiver.received.length).toBe(before + 1);
    const sent = receiver.received.at(-1);
    expect(sent?.headers["x-service-signature"]).toBe(deliveries[0].signature);
    expect(sent?.body.toString()).toBe(deliveries[0].body);
  });

  test("list and show say why a delivery failed, most likely, and what to do", async () => {
    const wrong = await startReceiver((_, response) => response.writeHead(401).end());
    const fields = { name: "wrong", url: wrong.url, events: ["payment.initiated"] };
    expect((await sandbox.call("POST", "/webhooks/register", fields)).ok).toBe(true);
    const reference = await prompt("0712333009");
    const list = () => malipo(["events", "list", "--payment", reference, ...sandbox.url]);
    await expect
      .poll(async () => (await list()).stdout)
      .toMatch(/pending +\d +401 in \d+ ms: Wrong secret, most likely +in \d+ s/);
    const [, id = ""] = /(dlv_\w+).*401/.exec((await list()).stdout) ?? [];
    const { stdout } = await malipo(["events", "show", id, ...sandbox.url]);
    expect(stdout).toMatch(/cause +Wrong secret, most likely/);
    expect(stdout).toMatch(/what to do +Give the receiver the webhook secret/);
    const { data } = (await (await sandbox.call("GET", "/webhooks")).json()) as {
      data: { id: string; url: string }[];
    };
    for (const one of data.filter(({ url }) => url === wrong.url)) {
      await sandbox.call("DELETE", `/webhooks/${one.id}`);
    }
    wrong.close();
  });

  test("list shows only deliveries in one state, and says if there are none", async () => {
    const { code, stdout } = await malipo(["events", "list", "--state", "failed", ...sandbox.url]);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("No deliveries");
  });

  test("list shows only deliveries about one payment", async () => {
    const reference = await prompt("0712333001");
    await prompt("0712333002");
    const flags = ["--payment", reference, "--json", ...sandbox.url];
    const { deliveries } = (await malipo(["events", "list", ...flags])).json();
    expect(deliveries.map(({ event }: { event: string }) => event)).toEqual(["payment.initiated"]);
    expect(deliveries[0].body).toContain(reference);
  });

  test("show prints one delivery: its signature, every attempt and the body", async () => {
    const reference = await prompt("0712333003");
    const flags = ["--payment", reference, "--json", ...sandbox.url];
    const list = async () => (await malipo(["events", "list", ...flags])).json().deliveries[0];
    await expect.poll(async () => (await list())?.state).toBe("delivered");
    const { id, body, signature } = await list();
    const { code, stdout } = await malipo(["events", "show", id, ...sandbox.url]);
    expect(code).toBe(EXIT.ok);
    expect(stdout).toMatch(new RegExp(`delivery +${id}\\n +event +payment\\.initiated\\n`));
    expect(stdout).toMatch(new RegExp(`signature +${signature}\\n`));
    expect(stdout).toMatch(/attempt +response\n20\d\d-\S+\+03:00 +200 in \d+ ms\n/);
    expect(stdout).toContain(`\n${body}\n`);
    const shown = await malipo(["events", "show", id, "--json", ...sandbox.url]);
    expect(shown.json()).toMatchObject({ id, signature, attempts: [{ status: 200 }] });
    const unknown = await malipo(["events", "show", "dlv_none", ...sandbox.url]);
    expect([unknown.code, unknown.stderr]).toEqual([
      EXIT.usage,
      'malipo: There is no delivery "dlv_none". To list them: malipo events list\n',
    ]);
  });

  test("resend rejects an unknown id, and list an invalid limit", async () => {
    const [unknown, none] = await Promise.all([
      malipo(["events", "resend", "dlv_none", ...sandbox.url]),
      malipo(["events", "list", "--limit", "0", ...sandbox.url]),
    ]);
    expect([unknown.code, none.code]).toEqual([EXIT.failed, EXIT.usage]);
    expect(unknown.stderr).toContain("dlv_none");
  });
});

test("malipo requests list prints the latest requests, newest first", async () => {
  const reference = await prompt("0712444000");
  await sandbox.call("GET", `/payments/${reference}`);
  const list = await malipo(["requests", "list", "--limit", "2", ...sandbox.url]);
  expect(list.stdout).toMatch(
    new RegExp(`^\\S+ +request +200 +GET /payments/${reference}\\n.*POST /payments/initiate\\n$`),
  );
  const { requests } = (await malipo(["requests", "list", "--json", ...sandbox.url])).json();
  expect(requests[0]).toMatchObject({ line: `GET /payments/${reference}`, status: 200 });
});

test("malipo faults list says in words what fails, for whom, from when and how often", async () => {
  const add = (...words: string[]) => malipo(["faults", "add", ...words, ...sandbox.url]);
  const nothing = await malipo(["faults", "list", ...sandbox.url]);
  expect(nothing.stdout).toBe("No faults.\n");
  await add("status", "--status", "503", "--method", "DELETE", "--times", "2");
  await add("latency", "--ms", "9", "--path", "/none", "--after", "3", "--times", "always");
  await malipo(["chaos", "start", "--duplicate", "0.001", "--seed", "s", ...sandbox.url]);
  const { stdout } = await malipo(["faults", "list", ...sandbox.url]);
  expect(stdout).toMatch(/id +fault +with +requests +begins +times left\n/);
  expect(stdout).toMatch(/\nflt_\w+ +status +status 503 +method DELETE +the next one +2\n/);
  expect(stdout).toMatch(/\nflt_\w+ +latency +ms 9 +path \/none +after 3 more +always\n/);
  expect(stdout).toMatch(/\nChaos:\n[\s\S]*duplicate +0\.001\n/);
  expect(stdout).not.toMatch(/[{}"]/);
});
