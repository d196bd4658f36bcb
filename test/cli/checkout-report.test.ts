import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createCheckout } from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { malipo } from "./in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-report-"));
const file = join(folder, "shop.db");
const sandbox = createSandbox({ seed: 1 });
let env: Record<string, string>;
let served: Awaited<ReturnType<typeof sandbox.serve>>;

/** Today, by the clock of Nairobi. */
const today = () => new Intl.DateTimeFormat("sv-SE", { timeZone: "Africa/Nairobi" }).format();

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
  const runOn = (day: string, ...args: string[]) =>
    malipo(["checkout", "report", "--day", day, "--store", `sqlite:${file}`, ...args], { env });
  const run = (...args: string[]) => runOn(today(), ...args);

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
    const page = await run("--html");
    expect(page.stdout).toMatch(/^<!doctype html>/);
    const plain = await run();
    // For a bookkeeper, not for a look at the terminal.
    for (const { stdout } of [csv, page]) expect(stdout).toContain("Payments of paid orders");
    expect(plain.stdout).not.toContain("Payments of paid orders");
    for (const { stdout } of [csv, page, plain]) {
      for (const part of [
        `Payments of ${today()}, by the clock of Africa/Nairobi`,
        "1 payment belongs to no order.",
        "payments, agree with their orders",
        "KES 1,500.00",
        "orders still open, under a day old",
      ]) {
        expect(stdout.toLowerCase()).toContain(part.toLowerCase());
      }
      // A page says it in words.
      expect(stdout).toContain(stdout === page.stdout ? ">No order<" : "no_order");
      expect(stdout).not.toContain("722000111");
    }
    expect(json.json()).toMatchObject({
      day: today(),
      timeZone: "Africa/Nairobi",
      agrees: [{ count: 1, amount: "1500.00" }],
      open: { underADay: 0 },
    });
  });

  test.each([
    ["Africa/Nairobi", "2026-11-22T21:00:00.000Z", "2026-11-23T21:00:00.000Z"],
    ["UTC", "2026-11-23T00:00:00.000Z", "2026-11-24T00:00:00.000Z"],
    ["America/New_York", "2026-11-23T05:00:00.000Z", "2026-11-24T05:00:00.000Z"],
  ])("cuts the day by the clock of %s, whatever that of the machine is", async (zone, from, to) => {
    for (const TZ of ["UTC", "Asia/Tokyo"]) {
      const args = ["--day", "2026-11-23", "--time-zone", zone, "--json"];
      const { stdout } = await malipo(
        ["checkout", "report", "--store", `sqlite:${file}`, ...args],
        { env: { ...env, TZ } },
      );
      expect(JSON.parse(stdout)).toMatchObject({ timeZone: zone, from, to });
    }
  });

  test("has a day of 23 hours when clocks are set forward", async () => {
    const args = ["--time-zone", "Europe/Berlin", "--json"];
    const { from, to } = (await runOn("2026-03-29", ...args)).json();
    expect([from, to]).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  });

  test("takes no zone that does not exist", async () => {
    const { code, stderr } = await run("--time-zone", "Nairobi");
    expect(code).toBe(2);
    expect(stderr).toContain("--time-zone");
  });

  test("is not an all-clear if the service cannot be reached", async () => {
    const { code, stdout } = await malipo(
      ["checkout", "report", "--day", "2026-11-23", "--store", `sqlite:${file}`],
      { env: { ...env, MALIPO_BASE_URL: "http://127.0.0.1:9/api" } },
    );
    expect(code).toBe(1);
    expect(stdout).toContain("This is not an all-clear. The list of payments could not be read");
  });

  test("reads a file of variables, and names one that it did not read", async () => {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const cwd = mkdtempSync(join(tmpdir(), "malipo-env-file-"));
    writeFileSync(join(cwd, ".env"), variables.join("\n"));
    const args = ["checkout", "report", "--day", "today", "--store", `sqlite:${resolve(file)}`];
    const without = await malipo(args, { cwd });
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining("There is a .env in this folder. To use it: --env-file .env"),
    ]);
    const { stdout } = await malipo([...args, "--env-file", ".env"], { cwd });
    expect(stdout).toContain("by the clock of Africa/Nairobi");
    const missing = await malipo([...args, "--env-file", "nowhere"], { cwd });
    // Node itself may look for the file first, also behind the name of the script.
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain("nowhere");
    rmSync(cwd, { recursive: true });
  });

  test("prints CSV whose lines end with a line feed alone", async () => {
    const { stdout } = await run("--csv");
    expect(stdout).not.toMatch(/\r|\\u000d/);
    expect(stdout.split("\n")[1]).toMatch(/^"Sums","payments, received at the service".*"$/);
  });

  test("takes no day that does not exist", async () => {
    const { code, stderr } = await runOn("2026-02-30");
    expect(code).toBe(2);
    expect(stderr).toContain("--day must be a date");
  });
});
