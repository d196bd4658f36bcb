import { memory } from "malipo";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newSandbox, ORDER, openShop } from "../stage.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE_MS = 60_000;
const READS_A_MINUTE = 6;

interface Service {
  /** What the list of payments is; without it, that of the sandbox. */
  readonly list?: () => Response;
  /** Of a response of 429. */
  readonly retryAfter?: string;
}

/** A shop whose customers have paid, at a service that allows few reads and whose webhooks are lost. */
async function paidShop(orders: number, { list, retryAfter }: Service = {}) {
  const sandbox = newSandbox();
  const counts = { lists: 0, reads: 0, rejected: 0 };
  let allowed: number[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    if (init.method !== "GET") return sandbox.fetch(url, init);
    const now = performance.now();
    allowed = allowed.filter((at) => now - at < MINUTE_MS);
    if (allowed.length >= READS_A_MINUTE) {
      counts.rejected++;
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      return Response.json({ success: false, message: "Slower." }, { status: 429, headers });
    }
    allowed.push(now);
    const isList = /\/payments(?:\?|$)/.test(url);
    counts[isList ? "lists" : "reads"]++;
    return isList && list ? list() : sandbox.fetch(url, init);
  };
  const shop = openShop(sandbox, memory().checkout(), { fetch });
  const ids = Array.from({ length: orders }, (_, at) => `O-${at}`);
  for (const [at, id] of ids.entries()) {
    const phone = `07120000${10 + at}`;
    await shop.checkout.pay({ ...ORDER, id, phone });
    sandbox.phone(phone).approve();
  }
  await sandbox.clock.advance("10s");
  const paid = async () => {
    const all = await Promise.all(ids.map((id) => shop.checkout.get(id)));
    return all.filter((order) => order?.status === "paid").length;
  };
  await shop.checkout.start();
  return { ...shop, counts, paid };
}

it("40 orders without webhooks are known in two minutes at a service that allows 6 reads a minute", async () => {
  const { counts, errors, paid } = await paidShop(40);
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(await paid()).toBe(40);
  expect(counts.rejected).toBeLessThanOrEqual(10);
  expect(errors.length).toBeLessThanOrEqual(1);
});

it("a service that lists no payment is read as often as it allows, and the operator is told once", async () => {
  const list = () => Response.json({ success: true, data: [] });
  const { counts, errors, paid } = await paidShop(40, { list });
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(await paid()).toBe(40);
  expect(counts.rejected).toBeLessThanOrEqual(15);
  expect(errors.map(String)).toEqual([
    expect.stringContaining("The service allows no more reads of payments for now (429)."),
  ]);
});

it("a checkout that stops waits for no pause of the service", async () => {
  const { checkout, counts } = await paidShop(40, { list: () => Response.json({ data: [] }) });
  await vi.advanceTimersByTimeAsync(8_000);
  expect(counts.rejected).toBeGreaterThan(0);
  await checkout.stop();
  expect(vi.getTimerCount()).toBe(0);
});
