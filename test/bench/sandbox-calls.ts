import { setImmediate } from "node:timers/promises";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { medians } from "./rounds.ts";

const PHONE = "0712345600";

/** Calls of a sandbox with its secret key. */
function callsOf(sandbox: Sandbox) {
  const headers = { "x-api-key": sandbox.keys.secret };
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return sandbox.fetch(sandbox.baseUrl + path, init);
  };
  const initiate = async (phone: string): Promise<string> => {
    const response = await call("POST", "/payments/initiate", { amount: 1, phone });
    return (await response.json()).data.reference;
  };
  return { call, initiate };
}

/** Microseconds of one call in process, beside the simplest mock of `fetch`. */
export async function measureCalls(
  rounds: number,
): Promise<readonly (readonly [string, number])[]> {
  const sandbox = createSandbox({ auto: "none" });
  const { call, initiate } = callsOf(sandbox);
  const reference = await initiate(PHONE);
  const body = await (await call("GET", `/payments/${reference}`)).text();
  const bare = async () => new Response(body, { headers: { "content-type": "application/json" } });
  let next = 0;
  const candidates = [
    { name: "a mock with one fixed response", once: () => bare() },
    { name: "malipo sandbox.fetch, a read", once: () => call("GET", `/payments/${reference}`) },
    {
      name: "malipo sandbox.fetch, a payment",
      once: () => call("POST", "/payments/initiate", { amount: 1, phone: phoneOf(next++) }),
    },
  ];
  const taken = await medians(
    candidates.map(({ name, once }) => ({
      name,
      run: async (times) => {
        for (let count = 0; count < times; count++) await (await once()).text();
      },
    })),
    { what: "sandbox calls", rounds, times: 300 },
  );
  return candidates.map(({ name }, index) => [name, taken[index] ?? 0] as const);
}

/** A phone number without automatic behaviour. */
const phoneOf = (index: number) => `07${String(index).padStart(5, "0")}000`;

/** The kinds of payments that a sandbox grows by. */
const GROWTHS: readonly {
  readonly name: string;
  readonly auto: "none" | "approve";
  readonly webhook?: true;
  readonly pay: (
    sandbox: Sandbox,
    calls: ReturnType<typeof callsOf>,
    index: number,
  ) => Promise<unknown>;
}[] = [
  {
    name: "initiated, approved, read",
    auto: "none",
    pay: async (sandbox, { initiate, call }, index) => {
      const reference = await initiate(phoneOf(index));
      sandbox.phone(phoneOf(index)).approve();
      await call("GET", `/payments/${reference}`);
    },
  },
  {
    name: "the same, with a webhook",
    auto: "none",
    webhook: true,
    pay: async (sandbox, { initiate, call }, index) => {
      const reference = await initiate(phoneOf(index));
      sandbox.phone(phoneOf(index)).approve();
      await call("GET", `/payments/${reference}`);
      await sandbox.deliveries.settled();
    },
  },
  {
    name: "initiated, all prompts open at once",
    auto: "approve",
    pay: (_, { initiate }, index) => initiate(phoneOf(index)),
  },
];

const PAYMENTS = 10_000;

/** The cost of a payment at the start and at the end of a sandbox, in microseconds. */
export interface Growth {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The CPU time per payment in each thousand, in microseconds. Only of this thread: the threads of the
 * garbage collector also count the time that they wait for each other.
 */
async function grow({ auto, webhook, pay }: (typeof GROWTHS)[number], payments: number) {
  const sandbox = createSandbox({ auto, deliver: async () => new Response() });
  const calls = callsOf(sandbox);
  if (webhook) {
    const events = ["payment.initiated", "payment.completed"];
    await calls.call("POST", "/webhooks/register", { name: "w", url: "https://w.test", events });
  }
  const costs: number[] = [];
  for (let next = 0; next < payments; ) {
    const began = process.threadCpuUsage();
    const end = Math.min(next + 1_000, payments);
    const count = end - next;
    for (; next < end; next++) {
      await pay(sandbox, calls, next);
      // The event loop turns, as in a real process, so that garbage can be collected.
      if (next % 100 === 0) await setImmediate();
    }
    const { user, system } = process.threadCpuUsage(began);
    costs.push((user + system) / count);
  }
  return costs;
}

/** The mean of the middle half, without outliers. */
function middleMean(values: readonly number[]): number {
  const quarter = values.length >> 2;
  const middle = values.toSorted((one, other) => one - other).slice(quarter, -quarter || undefined);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * The cost of a payment at both ends of 10,000, over several sandboxes. Garbage is collected about once in
 * two thousand payments. Each sandbox starts at another point of that cycle, so that collections do
 * not always fall into the same thousands.
 */
export async function measureGrowth(sandboxes: number): Promise<Growth[]> {
  const taken = GROWTHS.map(() => ({ first: [] as number[], last: [] as number[] }));
  for (const growth of GROWTHS) await grow(growth, PAYMENTS);
  for (let stage = 0; stage < sandboxes; stage++) {
    for (const [index, growth] of GROWTHS.entries()) {
      await grow(growth, 250 * (stage % 12));
      const costs = await grow(growth, PAYMENTS);
      taken[index]?.first.push(costs[0] ?? 0);
      taken[index]?.last.push(costs.at(-1) ?? 0);
    }
  }
  return GROWTHS.map(({ name }, index) => ({
    name,
    first: middleMean(taken[index]?.first ?? []),
    last: middleMean(taken[index]?.last ?? []),
  }));
}
