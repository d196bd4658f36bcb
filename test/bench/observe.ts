import { fork } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Gateway } from "malipo";
import { createObserver, type Observer } from "malipo/learn";
import { median, medians } from "./rounds.ts";
import type { Measured } from "./table.ts";

const PARAMS = { amount: 1_500, phone: "254712345678", account_reference: "ORDER-1042" };
const BASE_URL = "https://gateway.example/v1";
/** Fewer than the queue of an observer holds, so that none is dropped. */
const BURST = 100;

const PAYMENT = {
  reference: "PAY-7Q2M9X4KD1TB",
  status: "completed",
  amount: "1500.00",
  currency: "KES",
  phone: "254712345678",
  created_at: "2026-01-01T09:00:00+03:00",
};

const exchange = {
  method: "GET",
  url: `${BASE_URL}/payments/PAY-7Q2M9X4KD1TB`,
  baseUrl: BASE_URL,
  key: "secret",
  hasBody: false,
  response: new Response("", { headers: { "content-type": "application/json" } }),
  text: JSON.stringify({ success: true, data: PAYMENT }),
} as const;

/** Microseconds that a call waits for the observer. What the observer does later is not in it. */
async function waitOfACall(observer: Observer, rounds: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds * 20; round++) {
    const started = performance.now();
    for (let n = 0; n < BURST; n++) observer.observeExchange(exchange);
    taken.push(((performance.now() - started) * 1_000) / BURST);
    observer.profile();
    await setImmediate();
  }
  return median(taken);
}

const SEEN = 50_000;

/** Bytes of memory that stay for each call that was observed. */
async function retainedForACall(observer: Observer): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const see = async (times: number) => {
    for (let n = 0; n < times; n += BURST) {
      for (let one = 0; one < BURST; one++) observer.observeExchange(exchange);
      observer.profile();
      await setImmediate();
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await see(SEEN / 10);
  return ((await see(SEEN)) - before) / SEEN;
}

/** What an observer costs a call. */
export async function benchObserve(rounds: number): Promise<Measured> {
  const server = fork(fileURLToPath(new URL("./call-server.ts", import.meta.url)));
  try {
    const [port] = await once(server, "message");
    const options = { apiKey: "sk_bench", baseUrl: `http://127.0.0.1:${port}/api/v1` };
    const observer = createObserver();
    const [plain, observed] = [new Gateway(options), new Gateway({ ...options, observer })];
    const calls = (gateway: Gateway) => async (times: number) => {
      for (let n = 0; n < times; n++) await gateway.mobileMoney.initiate(PARAMS);
    };
    const candidates = [
      { name: "a call without an observer", run: calls(plain) },
      { name: "a call with an observer, its analysis included", run: calls(observed) },
    ];
    const micros = await medians(candidates, {
      what: "observe",
      rounds,
      times: 1_000,
      clock: "cpu",
    });
    const [without = 1, with_ = 1] = micros;
    const wait = await waitOfACall(observer, rounds);
    const retained = await retainedForACall(observer);
    const rows = candidates.map(({ name }, index) => [
      name,
      (micros[index] ?? 0).toFixed(1),
      ((micros[index] ?? 0) / without).toFixed(2),
    ]);
    return {
      title: "An observer",
      how: `The call of the table above, with an observer and without: CPU time, medians of ${rounds} interleaved rounds of 1,000. Then the time that a call waits for the observer: bursts of ${BURST}.`,
      columns: ["what", "µs", "against none"],
      rows: [
        ...rows,
        ["what a call waits for the observer", wait.toFixed(2), (wait / without).toFixed(3)],
      ],
      bars: candidates.map(({ name }, index) => ({
        label: `malipo, ${name}`,
        value: (micros[index] ?? 0) / without,
        text: `${((micros[index] ?? 0) / without).toFixed(2)} ×`,
      })),
      goals: [
        { text: `a call waits at most 2 µs: ${wait.toFixed(2)} µs`, met: wait <= 2 },
        {
          text: `nothing is retained for each call: ${retained.toFixed(1)} bytes`,
          met: retained < 8,
        },
        {
          text: `with its analysis, a call costs at most 1.25 of one without: ${(with_ / without).toFixed(2)}`,
          met: with_ / without <= 1.25,
        },
      ],
    };
  } finally {
    server.disconnect();
  }
}
