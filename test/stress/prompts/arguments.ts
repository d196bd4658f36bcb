import { parseArgs } from "node:util";
import { STORES, type StoreName } from "./store.ts";
import { CALL_TIMEOUTS } from "./time-limits.ts";

/** The command-line options of a campaign. */
export interface Options {
  readonly payments: number;
  readonly seed: string;
  readonly stores: readonly StoreName[];
  readonly workers: number;
  readonly kills: number;
  readonly leaseMs: number | undefined;
}

export const USAGE = `npm run campaign -- [options]

  --payments N   orders to take (default 2000, at most 50000)
  --seed TEXT    decides orders, customers, faults and kills (default 1)
  --store NAME   ${STORES.join(", ")}, or all (default all)
  --workers N    processes that share the store; memory has one (default 4)
  --kills N      workers to kill with SIGKILL; memory has none (default one for 50 payments)
  --lease MS     shorter leases than the gateway asks for, so that a crash is over sooner`;

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new TypeError(`--${name} is ${text}. It takes a whole number from ${min} to ${max}.`);
}

/** @throws {TypeError} whose message says what to change. */
export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { payments: text, seed: text, store: text, workers: text, kills: text, lease: text },
  });
  const {
    payments: paymentCount = "2000",
    seed = "1",
    store = "all",
    workers = "4",
    lease,
  } = values;
  const payments = wholeNumber("payments", paymentCount, 1, 50_000);
  const stores = STORES.filter((name) => store === "all" || store === name);
  if (stores.length === 0) {
    throw new TypeError(`--store is ${store}. It takes ${STORES.join(", ")} or all.`);
  }
  return {
    payments,
    seed,
    stores,
    workers: wholeNumber("workers", workers, 1, 32),
    kills: wholeNumber("kills", values.kills ?? String(Math.ceil(payments / 50)), 0, payments),
    // A lease that ends before a live call would break the promise by itself.
    leaseMs:
      lease === undefined
        ? undefined
        : wholeNumber("lease", lease, CALL_TIMEOUTS.totalTimeoutMs + 500, 3_600_000),
  };
}
