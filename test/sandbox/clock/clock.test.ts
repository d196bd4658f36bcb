import { setImmediate } from "node:timers/promises";
import { ConfigurationError } from "malipo";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const PHONE = "0712345678";

async function post(sandbox: Sandbox, path: string, body: object): Promise<{ id?: string }> {
  const response = await sandbox.fetch(sandbox.baseUrl + path, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify(body),
  });
  return (await response.json()).data;
}

const pay = (sandbox: Sandbox, phone: string) =>
  post(sandbox, "/payments/initiate", { phone, amount: 1 });

const subscribe = (sandbox: Sandbox, ...events: string[]) =>
  post(sandbox, "/webhooks/register", { name: "shop", url: "https://shop.example.test/", events });

describe("the virtual clock", () => {
  test("starts at nine in the morning of 2026-01-01 in Nairobi, and stands still", async () => {
    const { clock } = createSandbox();
    await setImmediate();
    expect(clock.now()).toBeInstanceOf(Date);
    expect(clock.now()).toEqual(new Date("2026-01-01T09:00:00+03:00"));
  });

  test.each([
    [0, 0],
    [1_500, 1_500],
    ["0s", 0],
    ["500ms", 500],
    ["61s", 61_000],
    ["1.5s", 1_500],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ])("advances by %j", async (by, ms) => {
    const { clock } = createSandbox();
    const before = clock.now().getTime();
    await clock.advance(by);
    expect(clock.now().getTime() - before).toBe(ms);
  });

  test.each([
    -1,
    "-1s",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "",
    "61",
    "s",
    "5 weeks",
    "toString",
  ])("rejects an advance by %j, and does not move", async (by) => {
    const { clock } = createSandbox();
    const before = clock.now();
    await expect(clock.advance(by)).rejects.toThrow(ConfigurationError);
    expect(clock.now()).toEqual(before);
    await clock.advance("1s");
    expect(clock.now().getTime() - before.getTime()).toBe(1_000);
  });

  test("cannot be moved by changing the date that it gave", () => {
    const { clock } = createSandbox();
    const before = clock.now();
    clock.now().setFullYear(1999);
    expect(clock.now()).toEqual(before);
  });

  test("runs what is due in order, each task at its own time", async () => {
    const seen: string[] = [];
    const sandbox = createSandbox({
      deliver: async (request) => {
        const { event, timestamp } = await request.json();
        seen.push(`${timestamp.slice(11, 19)} ${event}`);
        return new Response();
      },
    });
    await subscribe(sandbox, "payment.completed", "payment.failed", "invoice.overdue");
    const due_at = "2026-01-01T09:00:30+03:00";
    const invoice = await post(sandbox, "/invoices", { due_at });
    await post(sandbox, `/invoices/${invoice.id}/send`, {});
    await pay(sandbox, PHONE);
    await sandbox.clock.advance("1s");
    sandbox.phone("0110345678").always("approve");
    await pay(sandbox, "0110345678");
    await sandbox.clock.advance("1h");
    expect(seen).toEqual([
      "09:00:04 payment.completed",
      "09:00:30 invoice.overdue",
      "09:01:00 payment.failed",
    ]);
  });

  test("has advanced when the deliveries that were due or in flight have ended", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const sandbox = createSandbox({
      deliver: async () => {
        await gate;
        await setImmediate();
        return new Response("", { status: 500 });
      },
    });
    await subscribe(sandbox, "payment.initiated");
    await pay(sandbox, PHONE);
    const advanced = sandbox.clock.advance(0);
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(0);
    open();
    await advanced;
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(1);
    await sandbox.clock.advance("10s");
    expect(sandbox.deliveries.all()[0]?.attempts).toHaveLength(2);
  });

  test("adds up advances that are called at the same time", async () => {
    const sandbox = createSandbox();
    await pay(sandbox, PHONE);
    const before = sandbox.clock.now().getTime();
    const { advance } = sandbox.clock;
    await Promise.all([advance("20s"), advance("30s"), advance("11s")]);
    expect(sandbox.clock.now().getTime() - before).toBe(61_000);
    expect(sandbox.phone(PHONE).prompt).toBeUndefined();
  });
});

describe("the real clock", () => {
  test("shows the machine's time", () => {
    const { clock } = createSandbox({ clock: "real" });
    const before = Date.now();
    const now = clock.now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  test("runs tasks when they are due", async () => {
    const delivered = new Promise<string>((resolve) => {
      const sandbox = createSandbox({
        clock: "real",
        deliver: async (request) => {
          resolve((await request.json()).event);
          return new Response();
        },
      });
      const due_at = new Date(Date.now() + 100).toISOString();
      void subscribe(sandbox, "invoice.overdue")
        .then(() => post(sandbox, "/invoices", { due_at }))
        .then(({ id }) => post(sandbox, `/invoices/${id}/send`, {}));
    });
    await expect(delivered).resolves.toBe("invoice.overdue");
  });

  test("can be advanced too, and then runs ahead until a reset", async () => {
    const sandbox = createSandbox({ clock: "real" });
    await pay(sandbox, PHONE);
    await sandbox.clock.advance("1h");
    expect(sandbox.phone(PHONE).prompt).toBeUndefined();
    expect(sandbox.clock.now().getTime() - Date.now()).toBeGreaterThan(3_500_000);
    sandbox.reset();
    expect(sandbox.clock.now().getTime() - Date.now()).toBeLessThan(3_500_000);
  });

  test("is in its snapshot, with the time that it is ahead", async () => {
    const sandbox = createSandbox({ clock: "real" });
    await sandbox.clock.advance("1h");
    const other = createSandbox();
    other.restore(sandbox.snapshot());
    expect(other.clock.now().getTime() - Date.now()).toBeGreaterThan(3_500_000);
  });

  test("runs on from the moment of the snapshot that it restores", async () => {
    const past = createSandbox();
    await pay(past, PHONE);
    const sandbox = createSandbox({ clock: "real" });
    sandbox.restore(past.snapshot());
    expect(sandbox.clock.now().toISOString()).toMatch(/^2026-01-01T06:/);
    await sandbox.clock.advance("61s");
    expect(sandbox.phone(PHONE).prompt).toBeUndefined();
  });
});
