import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeProfile } from "../../src/profile/file-format.ts";
import { EMPTY_PROFILE } from "../../src/profile/profile-types.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";
import { malipo } from "./in-process.ts";

const ENDPOINT = "POST /mobile-money/payment/initiate";
const PEPPER = "a pepper of the shop";
const ORDER = { accountReference: "ORDER-42", amount: "1500.00", phone: "712345678" };
const PAID = {
  reference: "PAY-1",
  status: "completed",
  amount: "1500.00",
  phone: "254712345678",
  account_reference: "ORDER-42",
};

const folder = mkdtempSync(join(tmpdir(), "malipo-look-"));
const pepperFile = join(folder, "pepper");
writeFileSync(pepperFile, `${PEPPER}\n`);

/** A service with some payments, which lists them all. */
let payments: Record<string, unknown>[] = [];
let total: number | undefined;
const service = createServer((request, response) => {
  const reference = /^\/payments\/([^?]+)/.exec(request.url ?? "")?.[1];
  response.setHeader("content-type", "application/json");
  const found = payments.find((one) => one.reference === reference);
  if (reference !== undefined && found === undefined) response.statusCode = 404;
  const data = reference === undefined ? payments : found;
  const meta = { page: 1, last_page: 1, total: total ?? payments.length };
  response.end(JSON.stringify({ success: true, data, meta }));
}).listen(0, "127.0.0.1");
await once(service, "listening");
const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

let file = "";
let count = 0;
const open = () => sqliteIdempotency(file, { pepper: PEPPER });

/** Stores an attempt whose response was lost, and whose request cannot be on its way any more. */
async function lose(key: string, payment: object = ORDER, endpoint = ENDPOINT): Promise<void> {
  const store = open();
  await store.begin(`${endpoint} ${key}`, {
    parameters: "{}",
    owner: `owner of ${key}`,
    leaseMs: -5_000,
    endpoint,
    idempotencyKey: key,
    baseUrl,
    payment,
  });
  await store.finish(`${endpoint} ${key}`, `owner of ${key}`, { state: "unknown" });
  store.close();
}

beforeEach(async () => {
  file = join(folder, `payments-${count++}.db`);
  payments = [PAID];
  total = undefined;
  await lose("ORDER-42/1");
});

const env = { MALIPO_API_KEY: "sk_test_1", MALIPO_BASE_URL: baseUrl };
const attempts = (...args: string[]) => {
  const store = ["--store", `sqlite:${file}`, "--pepper-file", pepperFile];
  return malipo(["attempts", ...args, ...store], { env });
};

async function stateOf(key: string): Promise<string | undefined> {
  const store = open();
  const { attempts: records } = await store.list();
  store.close();
  return records.find(({ idempotencyKey }) => idempotencyKey === key)?.state;
}

describe("malipo attempts resolve looks at the service, and", () => {
  afterEach(async () => {
    expect(await stateOf("ORDER-42/1")).toBe("unknown");
  });

  const rejects = async (outcome: string, message: string, ...flags: string[]) => {
    const { code, stderr } = await attempts("resolve", "ORDER-42/1", outcome, ...flags);
    expect(stderr).toContain(message);
    expect(stderr).toContain("--force");
    expect(code).toBe(1);
  };

  test("rejects not_sent if the payment was made", () =>
    rejects("not_sent", "lists a payment that this attempt may have made: PAY-1"));

  test("rejects not_sent if a payment was made that differs a little", () => {
    payments = [{ ...PAID, amount: "1530.00", phone: "254712345678" }];
    return rejects("not_sent", "PAY-1");
  });

  test("rejects not_sent if the list may be a part", () => {
    payments = [];
    total = 3;
    return rejects("not_sent", "not known to reach back");
  });

  test("rejects a reference that does not exist", () =>
    rejects("PAY-9", "The service has no payment PAY-9."));

  test("rejects the reference of another payment", () => {
    payments = [
      { ...PAID, reference: "PAY-2", account_reference: "ORDER-7", phone: "254799999999" },
    ];
    return rejects("PAY-2", "of another account reference, amount or phone");
  });

  test("rejects the reference of another key's payment", async () => {
    const store = open();
    await lose("ORDER-42/2");
    await store.resolve(
      `${ENDPOINT} ORDER-42/2`,
      JSON.stringify({ status: 200, text: '{"data":{"reference":"PAY-1"}}' }),
    );
    store.close();
    await rejects("PAY-1", "belongs to another idempotency key");
  });

  test("rejects both without the pepper of the store", async () => {
    const args = ["attempts", "resolve", "ORDER-42/1", "not_sent", "--store", `sqlite:${file}`];
    const { code, stderr } = await malipo(args, { env });
    expect(stderr).toContain("stored with another pepper");
    expect(code).toBe(1);
  });

  test("rejects an attempt at another service", async () => {
    const { code, stderr } = await attempts(
      ...["resolve", "ORDER-42/1", "PAY-1", "--base-url", `${baseUrl}/sandbox`],
    );
    expect(stderr).toContain(`The attempt was made at ${baseUrl}`);
    expect(code).toBe(1);
  });

  test("needs a key of the service", async () => {
    const store = ["--store", `sqlite:${file}`];
    const { code } = await malipo(["attempts", "resolve", "ORDER-42/1", "not_sent", ...store]);
    expect(code).toBe(2);
  });
});

test("malipo attempts resolve accepts what the service confirms", async () => {
  expect((await attempts("resolve", "ORDER-42/1", "PAY-1")).code).toBe(0);
  expect(await stateOf("ORDER-42/1")).toBe("succeeded");
  payments = [];
  await lose("ORDER-43/1");
  expect((await attempts("resolve", "ORDER-43/1", "not_sent")).code).toBe(0);
  expect(await stateOf("ORDER-43/1")).toBeUndefined();
});

test("malipo attempts resolve --force does not look at the service", async () => {
  expect((await attempts("resolve", "ORDER-42/1", "not_sent", "--force")).code).toBe(0);
  expect(await stateOf("ORDER-42/1")).toBeUndefined();
});

test("malipo attempts resolve does not look for a call that starts no payment", async () => {
  await lose("INV-1", {}, "POST /invoices");
  const { code } = await attempts("resolve", "INV-1", "inv_9", "--endpoint", "invoices.create");
  expect(code).toBe(0);
});

test("malipo attempts list finds the attempts of an order by digests", async () => {
  await lose("ORDER-43/1", { ...ORDER, accountReference: "ORDER-43" });
  const found = async (...flags: string[]) => {
    const { items } = (await attempts("list", "--json", ...flags)).json();
    return items.map(({ idempotencyKey }: { idempotencyKey: string }) => idempotencyKey);
  };
  expect(await found("--account-reference", "ORDER-43")).toEqual(["ORDER-43/1"]);
  expect(await found("--phone", "0712 345 678", "--amount", "1500")).toHaveLength(2);
  expect(await found("--amount", "1501")).toEqual([]);
  expect((await attempts("list")).stdout).toContain("--account-reference");
});

describe("malipo attempts resolve-unknown", () => {
  test("resolves each attempt that one payment matches", async () => {
    const { code, stdout } = await attempts("resolve-unknown", "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/ORDER-42\/1 +resolved +PAY-1/);
    expect(await stateOf("ORDER-42/1")).toBe("succeeded");
  });

  test("shows what it will resolve, and resolves nothing without a yes", async () => {
    await lose("ORDER-43/1", { ...ORDER, accountReference: "ORDER-43" });
    const { code, stdout, stderr } = await attempts("resolve-unknown");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/1 attempt would be resolved:\n.*\nORDER-42\/1 +resolved +PAY-1\n/);
    expect(stderr).toContain("Nothing was changed. To do it, add --yes.");
    const dry = await attempts("resolve-unknown", "--dry-run");
    expect([dry.code, dry.stderr]).toEqual([0, ""]);
    expect(dry.stdout).toMatch(/ORDER-42\/1 +resolved +PAY-1\n/);
    expect(dry.stdout).toMatch(/ORDER-43\/1 +unclear +PAY-1/);
    expect(await stateOf("ORDER-42/1")).toBe("unknown");
  });

  test("never concludes that nothing was sent without the pepper of the store", async () => {
    const args = ["attempts", "resolve-unknown", "--not-sent-after", "1ms"];
    const { stdout } = await malipo([...args, "--store", `sqlite:${file}`], { env });
    expect(stdout).toMatch(/ORDER-42\/1 +unclear +PAY-1/);
  });

  test("concludes that nothing was sent only if it is asked to", async () => {
    payments = [];
    expect((await attempts("resolve-unknown", "--json")).json().results).toMatchObject([
      { state: "none", attempt: { idempotencyKey: "ORDER-42/1" } },
    ]);
    const args = ["resolve-unknown", "--look-back", "1h", "--not-sent-after", "1ms", "--yes"];
    // The attempt is younger than the list of this service may be late.
    const profile = join(folder, "malipo.service.json");
    const lists = { "GET /payments": { listedWithinMs: 10_000 } };
    writeFileSync(profile, JSON.stringify(encodeProfile({ ...EMPTY_PROFILE, lists })));
    expect((await attempts(...args, "--profile", profile)).stdout).toMatch(/ORDER-42\/1 +none/);
    expect((await attempts(...args)).stdout).toMatch(/ORDER-42\/1 +not_sent/);
    expect(await stateOf("ORDER-42/1")).toBeUndefined();
  });
});
