import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCheckout } from "malipo/checkout";
import { sqliteCheckout } from "malipo/checkout/sqlite";
import { createSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { malipo } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-report-"));
const file = join(folder, "shop.db");
const sandbox = createSandbox({ seed: 1 });
let env: Record<string, string>;
let served: Awaited<ReturnType<typeof sandbox.serve>>;

/** Today, by the clock of this machine. */
const today = () => new Intl.DateTimeFormat("sv-SE").format(new Date());

beforeAll(async () => {
  served = await sandbox.serve({ port: 0 });
  const { baseUrl } = served;
  const { keys, webhookSecret: secret } = sandbox;
  env = { MALIPO_API_KEY: keys.secret, MALIPO_BASE_URL: baseUrl };
  const gateway = { apiKey: keys.secret, baseUrl };
  const checkout = createCheckout({
    store: sqliteCheckout(file),
    gateway,
    secret,
    onPaid: () => {},
  });
  await checkout.start();
  await checkout.pay({ id: "ORDER-1", amount: 1500, phone: "0712345678" });
  sandbox.phone("0712345678").approve();
  await checkout.wait("ORDER-1");
  await checkout.stop();
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

describe("malipo checkout report", () => {
  const run = (...args: string[]) =>
    malipo(["checkout", "report", "--day", today(), "--store", `sqlite:${file}`, ...args], { env });

  test("ends with a line for the owner, and with 0 if everything agrees", async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.trim()).toMatch(/1 order, KES 1,500\.00, at the service\.$/);
  });

  test("names a payment of no order in each form, and exits with 1", async () => {
    const phone = "0722000111";
    const body = JSON.stringify({ amount: 20, phone, account_reference: "=CMD()" });
    const headers = { "x-api-key": sandbox.keys.secret, "content-type": "application/json" };
    const url = `${served.baseUrl}/mobile-money/payment/initiate`;
    expect((await fetch(url, { method: "POST", headers, body })).ok).toBe(true);
    sandbox.phone(phone).approve();
    await expect.poll(async () => (await run("--json")).json().differences.length).toBe(1);
    const json = await run("--json");
    expect(json.code).toBe(1);
    expect(json.json()).toMatchObject({ isComplete: true, differences: [{ kind: "no_order" }] });
    const csv = await run("--csv");
    expect(csv.stdout).toContain(`"'=CMD()"`);
    expect(csv.stderr).toContain("1 payment belongs to no order.");
    const page = await run("--html");
    expect(page.stdout).toMatch(/^<!doctype html>/);
    expect(page.stdout).toContain("1 payment belongs to no order.");
    expect((await run()).stdout).not.toContain("722000111");
  });

  test("is no all-clear if the service cannot be reached", async () => {
    const { code, stdout } = await malipo(
      ["checkout", "report", "--day", "2026-11-23", "--store", `sqlite:${file}`],
      { env: { ...env, MALIPO_BASE_URL: "http://127.0.0.1:9/api" } },
    );
    expect(code).toBe(1);
    expect(stdout).toContain("This is no all-clear");
  });

  test("takes no day that does not exist", async () => {
    const { code, stderr } = await run("--day", "2026-02-30");
    expect(code).toBe(2);
    expect(stderr).toContain("--day");
  });
});
