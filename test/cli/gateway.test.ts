import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import type { Surroundings } from "./command-line.ts";
import { malipo } from "./in-process.ts";

// All tests share one gateway. Each test has its own phones and invoices.
const sandbox = createSandbox({ clock: "real" });
let service: ServedSandbox;
let folder: string;

beforeAll(async () => {
  service = await sandbox.serve({ port: 0 });
  folder = mkdtempSync(join(tmpdir(), "malipo-gateway-"));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string> = {}, surroundings: Surroundings = {}) =>
  malipo(args, {
    ...surroundings,
    env: { MALIPO_API_KEY: sandbox.keys.secret, MALIPO_BASE_URL: service.baseUrl, ...env },
  });

const initiate = (phone: string, ...flags: string[]) =>
  run(["payments", "initiate", "--amount", "70", "--phone", phone, "--json", ...flags]);

describe.concurrent("malipo payments", () => {
  test("initiate, get, list and wait follow a payment from the prompt to the end", async ({
    expect,
  }) => {
    const label = ["--account-reference", "ORDER-42", "--description", "Tea"];
    const started = await initiate("0712 345 678", ...label);
    expect(started.code).toBe(EXIT.ok);
    const { reference } = started.json();
    expect(sandbox.phone("0712345678").prompt).toMatchObject({
      reference,
      amount: "70.00",
      account_reference: "ORDER-42",
      description: "Tea",
    });

    const pending = await run(["payments", "wait", reference, "--timeout", "50ms", "--json"]);
    expect(pending.code).toBe(EXIT.pending);
    expect(pending.json().error).toMatchObject({ code: "payment_pending", exit_code: 5 });

    sandbox.phone("0712345678").approve();
    const read = await run(["payments", "get", reference, "--json"]);
    expect([read.code, read.json()]).toMatchObject([EXIT.ok, { reference, status: "completed" }]);
    const waited = await run(["payments", "wait", reference]);
    expect(waited.code).toBe(EXIT.ok);
    expect(waited.stdout).toMatch(/status +completed/);

    const list = await run(["payments", "list", "--query", "per_page=100", "--json"]);
    expect(list.json().items).toContainEqual(read.json());
    const text = await run(["payments", "list", "--query=per_page=100"]);
    expect(text.stdout).toContain(reference);
  });

  test("wait exits with 1 if the payment failed", async ({ expect }) => {
    const { reference } = (await initiate("0712345601")).json();
    sandbox.phone("0712345601").cancel();
    const { code, stdout } = await run(["payments", "wait", reference]);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain("the customer cancelled");
    // Why, what to tell the customer, and whether to ask again.
    expect(stdout).toMatch(/code +1032\n.*cause .*\n +tell the customer .*\n +try again +yes/);
    const asJson = await run(["payments", "wait", reference, "--json"]);
    expect(asJson.json()).toMatchObject({
      reference,
      status: "failed",
      explanation: { code: "1032", retry: "now" },
    });
  });

  test("a public key can read, and cannot start a payment", async ({ expect }) => {
    const env = { MALIPO_API_KEY: sandbox.keys.public };
    expect((await run(["payments", "list"], env)).code).toBe(EXIT.ok);
    const args = ["payments", "initiate", "--amount", "1", "--phone", "0712345602"];
    const { code, stderr } = await run(args, env);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("secret key");
  });

  test.for([
    [["initiate", "--phone", "0712345603"], "--amount is required"],
    [["initiate", "--amount", "1"], "--phone is required"],
    [["initiate", "--amount", "1,5", "--phone", "0712345603"], "at most two decimals"],
    [["initiate", "--amount", "1e3", "--phone", "0712345603"], "at most two decimals"],
    [["initiate", "--amount", "-5", "--phone", "0712345603"], "at most two decimals"],
    [["initiate", "--amount", "0", "--phone", "0712345603"], "above 0"],
    [["initiate", "--amount", "1", "--phone", "12"], "9 to 15 digits"],
    [["list", "--query", "page"], "name=value"],
    [["wait", "PAY-1", "--timeout", "soon"], "a number with a unit"],
    [["get", ".."], "identifier"],
    [["list", "--base-url", "http://shop.example/v1"], "https"],
  ] as const)("%j is rejected before anything is sent", async ([args, message], { expect }) => {
    const { code, stderr } = await run(["payments", ...args]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
  });

  test("exit with 1 if the service rejects the call: nothing was created", async ({ expect }) => {
    const [unknown, tooMuch] = await Promise.all([
      run(["payments", "get", "PAY-NONE", "--json"]),
      run(["payments", "initiate", "--amount", "250001", "--phone", "0712345604"]),
    ]);
    expect([unknown.code, tooMuch.code]).toEqual([EXIT.failed, EXIT.failed]);
    expect(unknown.json().error).toMatchObject({ code: "not_found", outcome: "rejected" });
    expect(tooMuch.stderr).toContain("Nothing was created");
  });

  test("exit with 3 if nothing is listening: nothing was sent", async ({ expect }) => {
    const gone = await sandbox.serve({ port: 0 });
    await gone.close();
    const env = { MALIPO_BASE_URL: gone.baseUrl };
    const args = ["payments", "initiate", "--amount", "1", "--phone", "0712345605"];
    const { code, stderr } = await run(args, env);
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toContain("Nothing was sent");
  });
});

// Not concurrent: a fault is injected into the next call, whichever test makes it.
describe("a lost response", () => {
  test.each(["lostResponse", "truncate"] as const)(
    "to initiate exits with 4 and says what to check (%s)",
    async (kind) => {
      sandbox.faults.add({ match: { endpoint: "mobileMoney.initiate" }, effect: { kind } });
      const { code, json } = await initiate("0712345606");
      expect(code).toBe(EXIT.unknown);
      expect(json().error).toMatchObject({ outcome: "unknown", exit_code: EXIT.unknown });
      expect(json().error.message).toContain("Check before you run it again: malipo payments list");
    },
  );

  test("to create an invoice says where to check", async () => {
    sandbox.faults.add({
      match: { endpoint: "invoices.create" },
      effect: { kind: "lostResponse" },
    });
    const { code, json } = await run(["invoices", "create", "--set", "customer=Asha", "--json"]);
    expect(code).toBe(EXIT.unknown);
    expect(json().error.message).toContain("malipo invoices list");
  });

  test("to a read exits with 1", async () => {
    sandbox.faults.add({
      match: { endpoint: "payments.list" },
      effect: { kind: "status", status: 500 },
      times: 3,
    });
    expect((await run(["payments", "list"])).code).toBe(EXIT.failed);
  });
});

test("a read that the service rejects does not speak of sending it again", async () => {
  const { stderr } = await run(["payments", "get", "PAY-NONE"]);
  expect(stderr).toBe(
    'malipo: GET /payments/{reference} returned 404: There is no payment "PAY-NONE" in this sandbox. The service rejected it.\n  Read more: docs/reference/service.md in the package malipo\n',
  );
});

test("a list prints its paging in one line, not the envelope of the response", async () => {
  const text = await run(["payments", "list", "--query", "per_page=1"]);
  expect(text.stdout).toMatch(/\npage: 1, per_page: 1, total: \d+\n$/);
  const { meta } = (await run(["payments", "list", "--query", "per_page=1", "--json"])).json();
  expect(meta).toEqual({ page: 1, per_page: 1, total: expect.any(Number) });
});

describe.concurrent("malipo invoices", () => {
  test("create, get, update, send, list and delete work", async ({ expect }) => {
    const fields = ["--set", "customer=Asha", "--set", "amount:=1500", "--set", "items:=[1]"];
    const created = await run(["invoices", "create", ...fields, "--json"]);
    expect(created.code).toBe(EXIT.ok);
    const { number } = created.json();
    expect(created.json()).toMatchObject({ customer: "Asha", amount: "1500.00", items: [1] });

    const path = join(folder, "changes.json");
    writeFileSync(path, '{"note":"é"}');
    const changed = await run([
      "invoices",
      "update",
      number,
      "--data",
      `@${path}`,
      "--set",
      "customer=Juma",
      "--json",
    ]);
    expect(changed.json()).toMatchObject({ number, customer: "Juma", note: "é" });
    const data = ["--data", "@-", "--json"];
    const again = await run(["invoices", "update", number, ...data], {}, { input: '{"note":"2"}' });
    expect(again.json()).toMatchObject({ number, note: "2" });
    expect((await run(["invoices", "send", number, "--json"])).json()).toMatchObject({
      status: "sent",
    });
    const read = await run(["invoices", "get", number]);
    expect(read.stdout).toMatch(/status +sent/);
    const list = await run(["invoices", "list", "--query", "per_page=100", "--json"]);
    expect(list.json().items).toContainEqual(expect.objectContaining({ number, note: "2" }));
    expect((await run(["invoices", "list"])).stdout).toContain("INV-");
    expect((await run(["invoices", "delete", number, "--json"])).json()).toMatchObject({
      deleted: true,
    });
    expect((await run(["invoices", "get", number])).code).toBe(EXIT.failed);
  });

  test.for([
    [["create"], "The fields are missing"],
    [["update", "INV-1"], "The fields are missing"],
    [["create", "--data", "invoice.json"], "use @"],
    [["create", "--data", "[]"], "must be a JSON object"],
    [["create", "--data", "@/nowhere/at/all"], "no such file"],
    [["create", "--set", "amount"], "path=text"],
  ] as const)("%j is rejected before anything is sent", async ([args, message], { expect }) => {
    const { code, stderr } = await run(["invoices", ...args]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
  });
});

describe.concurrent("the key", () => {
  const list = ["payments", "list"];

  test("comes from the environment or a file; without it, the message says how to set it", async ({
    expect,
  }) => {
    const path = join(folder, "key");
    writeFileSync(path, `${sandbox.keys.secret}\n`);
    chmodSync(path, 0o600);
    const fromFile = ["--key-file", path, "--base-url", service.baseUrl];
    expect((await malipo([...list, ...fromFile])).code).toBe(EXIT.ok);
    for (const command of [list, ["probe"], ["merchant", "get"], ["webhooks", "list"]]) {
      const { code, stderr } = await malipo(command);
      expect(code).toBe(EXIT.usage);
      expect(stderr).toContain("Set MALIPO_API_KEY and MALIPO_BASE_URL, or give --key-file");
      expect(stderr).toContain("npx malipo sandbox");
      // The names of the library's options are not those of the command line.
      expect(stderr).not.toContain("`");
    }
    const noAddress = await malipo([...list, "--key-file", path]);
    expect(noAddress.stderr).toContain("MALIPO_BASE_URL");
    writeFileSync(join(folder, "empty"), "\n");
    const empty = await malipo([...list, "--key-file", join(folder, "empty")]);
    expect(empty.stderr).toContain("is empty");
    const wrong = await malipo([...list, "--key-file", path, "--base-url", "service.example"]);
    expect(wrong.stderr).toContain("The base URL (--base-url or MALIPO_BASE_URL) must be");
    const noFile = await malipo([...list, "--key-file", join(folder, "none")]);
    expect(noFile.stderr).toContain("no such file");
  });

  test("is never printed", async ({ expect }) => {
    const key = "sk_never_to_be_seen";
    const runs = await Promise.all([
      run([...list, "--json"], { MALIPO_API_KEY: key }),
      run(list, { MALIPO_API_KEY: key }),
      run(["doctor"], { MALIPO_API_KEY: key }),
      run(list, { MALIPO_API_KEY: `${key} x` }),
    ]);
    for (const { code, stdout, stderr } of runs) {
      expect(code).not.toBe(EXIT.ok);
      expect(stdout + stderr).not.toContain(key);
    }
  });
});
