// One of several servers of a shop. It does what the test tells it to, and reports the result.
import { Gateway, isGatewayError } from "malipo";
import type { IdempotencyEngine } from "malipo/types";

/** The settings that all workers of one shop share. */
export interface Shop {
  readonly store: keyof typeof STORES;
  /** The file or the URL of the store. */
  readonly place: string;
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** A worker's task: to resolve a key if `resolve` is set, otherwise to pay. */
export interface Task {
  readonly idempotencyKey: string;
  readonly resolve?: string;
  readonly totalTimeoutMs?: number;
  /** The address of a proxy that this task sends its request to. */
  readonly proxy?: string;
}

/** The result of a task. */
export interface Reply {
  readonly reference?: string;
  /** The error's code and outcome. */
  readonly error?: string;
}

const STORES = {
  sqlite: async (path: string) => (await import("malipo/sqlite")).sqlite(path),
  redis: async (url: string) => (await import("malipo/redis")).redis(url),
  postgres: async (url: string) => (await import("malipo/postgres")).postgres(url),
} satisfies Record<string, (place: string) => Promise<IdempotencyEngine>>;

const { store, place, apiKey, baseUrl }: Shop = JSON.parse(process.argv[2] ?? "");
const idempotency = await STORES[store](place);

async function work({ idempotencyKey, resolve, totalTimeoutMs, proxy }: Task): Promise<Reply> {
  const { origin } = new URL(baseUrl);
  const through: typeof fetch = (input, init) =>
    fetch(String(input).replace(origin, proxy ?? origin), init);
  const gateway = new Gateway({ apiKey, baseUrl, idempotency, fetch: through });
  if (resolve !== undefined) {
    await gateway.idempotency.resolve(idempotencyKey, resolve);
    return {};
  }
  const order = { amount: 100, phone: "0712345678", account_reference: idempotencyKey };
  const { reference } = await gateway.mobileMoney.initiate(order, {
    idempotencyKey,
    totalTimeoutMs,
  });
  return { reference };
}

process.on("message", async ({ id, task }: { id: number; task: Task }) => {
  const reply = await work(task).catch((error: unknown) => ({
    error: isGatewayError(error) ? `${error.code}, ${error.outcome}` : String(error),
  }));
  process.send?.({ id, reply });
});
process.on("disconnect", () => process.exit());
process.send?.({ id: 0, reply: {} });
