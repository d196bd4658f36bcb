import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres, sharedRedis } from "../support/engines/shared.ts";
import { listen, startWorker, type Worker } from "./idempotency-shop.ts";
import type { Reply, Shop } from "./idempotency-worker.ts";

const [redis, postgres] = await Promise.all([sharedRedis(), sharedPostgres()]);
const folder = mkdtempSync(join(tmpdir(), "malipo-processes-"));
const STORES: readonly [Shop["store"], place: string | undefined][] = [
  ["sqlite", join(folder, "keys.db")],
  ["redis", redis?.url],
  ["postgres", postgres?.url],
];
const run = crypto.randomUUID().slice(0, 4);

const sandbox = createSandbox();
const apiKey = sandbox.keys.secret;
let served: ServedSandbox;
const workers: Worker[] = [];

/** The references of an order's payments, in the gateway's own ledger. */
async function prompts(order: string): Promise<string[]> {
  const gateway = new Gateway({ apiKey, baseUrl: served.baseUrl });
  const { items } = await gateway.payments.list({ per_page: 100 });
  return items.flatMap(({ account_reference, reference = "" }) =>
    account_reference === order ? [reference] : [],
  );
}

interface Accident {
  readonly idempotencyKey: string;
  /** What the others get before the lease of the dead worker is over. */
  readonly replies: Promise<Reply[]>;
}

/** A worker is killed while it waits for a response. The others send the same key. */
async function accident(
  idempotencyKey: string,
  victim: Worker,
  others: readonly Worker[],
  serve: (url: string, body: string) => Promise<void>,
): Promise<Accident> {
  let done = () => {};
  const served = new Promise<void>((resolve) => {
    done = resolve;
  });
  const gateway = await listen(async (request) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await serve(request.url ?? "", Buffer.concat(chunks).toString());
    done();
  });
  void victim.do({ idempotencyKey, proxy: gateway.url, totalTimeoutMs: 1_000 });
  await served;
  await victim.kill();
  gateway.close();
  return {
    idempotencyKey,
    replies: Promise.all(others.map((other) => other.do({ idempotencyKey }))),
  };
}

async function open(store: Shop["store"], place: string) {
  const shop = { store, place, apiKey, baseUrl: served.baseUrl };
  const all = await Promise.all(Array.from({ length: 5 }, () => startWorker(shop)));
  workers.push(...all);
  const [first, second, ...others] = all as [Worker, Worker, ...Worker[]];
  const prompted = await accident(
    `${run}-${store.slice(0, 2)}-P`,
    first,
    others,
    async (url, body) => {
      const headers = { "x-api-key": apiKey, "content-type": "application/json" };
      await fetch(served.url + url, { method: "POST", headers, body });
    },
  );
  const unprompted = await accident(
    `${run}-${store.slice(0, 2)}-U`,
    second,
    others,
    async () => {},
  );
  return { others, prompted, unprompted, restart: () => startWorker(shop) };
}

const shops = new Map<Shop["store"], Awaited<ReturnType<typeof open>>>();

beforeAll(async () => {
  served = await sandbox.serve({ port: 0 });
  await Promise.all(
    STORES.map(async ([store, place]) => {
      if (place !== undefined) shops.set(store, await open(store, place));
    }),
  );
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await served?.close();
  await Promise.all([redis?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true });
});

describe.each(STORES.filter(([, place]) => place !== undefined))("processes on one %s", (store) => {
  const shop = () => shops.get(store) as Awaited<ReturnType<typeof open>>;

  test("make one prompt for many simultaneous clicks, and all get its reference", async () => {
    const { others } = shop();
    for (let round = 1; round <= 5; round++) {
      const idempotencyKey = `${run}-${store.slice(0, 2)}-${round}`;
      const clicks = [...others, ...others];
      const replies = await Promise.all(clicks.map((worker) => worker.do({ idempotencyKey })));
      const [reference, ...more] = await prompts(idempotencyKey);
      expect(more).toEqual([]);
      expect(replies).toEqual(clicks.map(() => ({ reference })));
    }
  });

  test("do not prompt again after a worker was killed after its prompt, and get the resolved reference", async () => {
    const { others, prompted, restart } = shop();
    const { idempotencyKey } = prompted;
    expect(await prompted.replies).toEqual(
      others.map(() => ({ error: "outcome_unknown, unknown" })),
    );
    const [reference = "", ...more] = await prompts(idempotencyKey);
    expect(more).toEqual([]);
    expect(await others[0]?.do({ idempotencyKey, resolve: reference })).toEqual({});
    const late = await restart();
    workers.push(late);
    for (const worker of [...others, late]) {
      expect(await worker.do({ idempotencyKey })).toEqual({ reference });
    }
    expect(await prompts(idempotencyKey)).toEqual([reference]);
  });

  test('prompt once after a worker was killed before its prompt, when the key is resolved as "not_sent"', async () => {
    const { others, unprompted } = shop();
    const { idempotencyKey } = unprompted;
    expect(await unprompted.replies).toEqual(
      others.map(() => ({ error: "outcome_unknown, unknown" })),
    );
    expect(await prompts(idempotencyKey)).toEqual([]);
    const resolve = () => others[0]?.do({ idempotencyKey, resolve: "not_sent" });
    // The request of the dead worker may be on its way for five seconds after its lease.
    await expect.poll(resolve, { interval: 500 }).toEqual({});
    const replies = await Promise.all(others.map((worker) => worker.do({ idempotencyKey })));
    const [reference, ...more] = await prompts(idempotencyKey);
    expect(more).toEqual([]);
    expect(replies).toEqual(others.map(() => ({ reference })));
  });
});
