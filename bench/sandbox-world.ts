import { createSandbox, type Sandbox } from "malipo/sandbox";
import { median, medians } from "./rounds.ts";

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

/** Microseconds of one call in process, beside the least that any mock of `fetch` can do. */
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
    { name: "a mock that knows one answer", once: () => bare() },
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
    { rounds, times: 300 },
  );
  return candidates.map(({ name }, index) => [name, taken[index] ?? 0] as const);
}

/** A number that does nothing by itself. */
const phoneOf = (index: number) => `07${String(index).padStart(5, "0")}000`;

/** A world that grows: how, and what a payment is. */
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

const THOUSANDS = 10;

/** What a payment costs at the beginning of a world and at its end, in microseconds. */
export interface Growth {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/** The median cost of a payment in each thousand of 10,000, over several worlds. */
export async function measureGrowth(worlds: number): Promise<Growth[]> {
  const taken = GROWTHS.map(() => Array.from({ length: THOUSANDS }, (): number[] => []));
  // The first is for the compiler.
  for (let world = -1; world < worlds; world++) {
    for (const [index, { auto, webhook, pay }] of GROWTHS.entries()) {
      const sandbox = createSandbox({ auto, deliver: async () => new Response() });
      const calls = callsOf(sandbox);
      if (webhook) {
        const events = ["payment.initiated", "payment.completed"];
        await calls.call("POST", "/webhooks/register", {
          name: "w",
          url: "https://w.test",
          events,
        });
      }
      for (let thousand = 0; thousand < THOUSANDS; thousand++) {
        const began = process.cpuUsage();
        for (let count = 0; count < 1_000; count++) {
          await pay(sandbox, calls, thousand * 1_000 + count);
        }
        const { user, system } = process.cpuUsage(began);
        if (world >= 0) taken[index]?.[thousand]?.push((user + system) / 1_000);
      }
    }
  }
  return GROWTHS.map(({ name }, index) => {
    const costs = taken[index]?.map(median) ?? [];
    return { name, first: costs[0] ?? 0, last: costs.at(-1) ?? 0 };
  });
}
