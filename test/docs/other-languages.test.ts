import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../src/drill/child.ts";
import { installedMalipo, startReceiver } from "../cli/command-line.ts";
import { codeBlocks } from "./support/blocks.ts";

const PAGE = "docs/guides/any-language.md";

let sandbox: Sandbox;
let served: ServedSandbox;
let folder: string;
beforeEach(async () => {
  sandbox = createSandbox({ clock: "real" });
  served = await sandbox.serve({ port: 0 });
  folder = mkdtempSync(join(tmpdir(), "malipo-languages-"));
});
afterEach(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({
  MALIPO_BASE_URL: served.baseUrl,
  MALIPO_API_KEY: sandbox.keys.secret,
  MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
});

/** A shell. The sandbox is in this process, so that nothing may block it. */
const shell = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      "sh",
      args,
      { env: { ...process.env, ...settings(), ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

const hasShell = ["curl", "openssl"].every(
  (name) => spawnSync(name, ["version"]).error === undefined,
);

describe.skipIf(!hasShell)("the example in a shell", () => {
  test.for([
    ["approve", "completed", 0],
    ["cancel", "failed", 1],
    ["wrong-pin", "failed", 1],
  ] as const)(
    "asks once though the response is lost, and verifies the webhook: %s",
    async ([customer, status, exit]) => {
      const receiver = await startReceiver();
      const { code, stdout, stderr } = await shell(["examples/shell/payment.sh", customer], {
        RECEIVER_URL: receiver.url,
      });
      receiver.close();
      expect([code, stderr]).toEqual([exit, ""]);
      expect(stdout).toContain("The response was lost");
      expect(stdout).toContain(`is ${status}.`);
      expect(stdout).toContain(`payment.${status} is genuine.`);
      const { payments, webhooks } = sandbox.snapshot() as unknown as Record<string, unknown[]>;
      expect([payments?.length, webhooks?.length]).toEqual([1, 0]);
      expect(receiver.received).toHaveLength(1);
    },
  );

  test("says that a webhook is not genuine if the secret is another one", async () => {
    const env = { MALIPO_WEBHOOK_SECRET: "whsec_another" };
    const { code, stdout } = await shell(["examples/shell/payment.sh"], env);
    expect([code, stdout]).toEqual([2, expect.stringContaining("does not match")]);
  });
});

test.skipIf(!hasShell)("the commands of the page that drive the sandbox work", async () => {
  const [block = ""] = codeBlocks(PAGE, "sh").filter((text) => text.includes("control="));
  await fetch(`${served.baseUrl}/mobile-money/payment/initiate`, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify({ amount: 5, phone: "0712345678" }),
  });
  const { code, stdout } = await shell([
    "-c",
    block.replaceAll("http://127.0.0.1:4010", served.url),
  ]);
  expect(code).toBe(0);
  expect(stdout.match(/"success":true/g)).toHaveLength(5);
  expect(stdout).not.toContain('"success":false');
});

const LANGUAGES = [
  { name: "python", program: "python3", probe: ["-c", "import sqlite3"], file: "receiver.py" },
  {
    name: "php",
    program: "php",
    probe: ["-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"],
    file: "receiver.php",
  },
].map((one) => {
  const runs = spawnSync(one.program, one.probe).status === 0;
  return { ...one, runs, title: runs ? one.name : `${one.name}: NOT INSTALLED, so NOT TRIED` };
});

describe.each(LANGUAGES)("the receiver in $title", ({ name, program, file, runs }) => {
  test.runIf(runs)(
    "accepts what is genuine once, and rejects what is forged or changed",
    async () => {
      const [code = ""] = codeBlocks(PAGE, name);
      writeFileSync(join(folder, file), code);
      const PORT = `${await freePort()}`;
      const args = name === "php" ? ["-S", `127.0.0.1:${PORT}`, file] : [file];
      const child = spawn(program, args, {
        cwd: folder,
        stdio: "ignore",
        env: { ...process.env, ...settings(), PORT },
      });
      const url = `http://127.0.0.1:${PORT}/webhooks`;
      try {
        await expect.poll(() => fetch(url).then(Boolean, () => false)).toBe(true);
        await pay(url);
        const stored = () => rowsIn(join(folder, "events.db"));
        await expect.poll(stored).toHaveLength(2);
        for (const { id } of sandbox.deliveries.all()) await sandbox.deliveries.resend(id);
        expect(stored()).toEqual(
          sandbox.deliveries.all().map(({ event, body }) => ({ kind: event, body })),
        );
        for (const { attempts } of sandbox.deliveries.all()) {
          expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
        }
        const doctor = await installedMalipo(["doctor", "--webhook", url, "--json"], {
          env: settings(),
        });
        expect(
          doctor.json().checks.filter(({ state }: { state: string }) => state === "fail"),
        ).toEqual([]);
        const { body, signature } = sandbox.deliveries.all()[0] ?? expect.unreachable();
        for (const [changed, header] of [
          [body.replace("completed", "completeD"), signature],
          [body, "0".repeat(64)],
          [body, "ä"],
          [body, ""],
        ] as const) {
          const headers = { "x-service-signature": header };
          expect((await fetch(url, { method: "POST", body: changed, headers })).status).toBe(401);
        }
      } finally {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    },
  );
});

/** One payment that is paid, and one that is not. */
async function pay(url: string): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(served.baseUrl + path, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret },
      body: JSON.stringify(body),
    });
  const events = ["payment.completed", "payment.failed"];
  await post("/webhooks/register", { name: "shop", url, events });
  for (const phone of ["0712345678", "0722000000"]) {
    await post("/mobile-money/payment/initiate", { amount: 5, phone });
  }
  sandbox.phone("0712345678").approve();
  sandbox.phone("0722000000").cancel();
  await sandbox.deliveries.settled();
}

/** What a receiver has stored, without the event that `malipo doctor` sends. */
function rowsIn(path: string): unknown[] {
  const db = new DatabaseSync(path);
  const rows = db.prepare("SELECT kind, body FROM events WHERE id LIKE 'PAY-%'").all();
  db.close();
  return rows.map(({ kind, body }) => ({ kind, body: Buffer.from(body as string).toString() }));
}
