import { parseArgs } from "node:util";
import { STORES, type StoreName } from "./store.ts";
import { SABOTAGES, type Sabotage } from "./worker/sabotage.ts";

/** The command-line options of a campaign. */
export interface Options {
  readonly payments: number;
  readonly seed: string;
  readonly stores: readonly StoreName[];
  readonly workers: number;
  readonly kills: number;
  readonly pauses: boolean;
  readonly clockSteps: boolean;
  readonly engineFaults: boolean;
  /** The file to which the histories are appended. */
  readonly history: string | undefined;
  /** The file whose histories are checked. No campaign is run then. */
  readonly check: string | undefined;
  readonly sabotage: Sabotage | undefined;
}

export const USAGE = `npm run campaign -- [options]

  --checkout     the campaign of orders instead: --orders N (default 2000, at least 60),
                 --seed TEXT, --store sqlite, postgres or all, --sabotage NAME
  --payments N   orders to take (default 2000, at most 50000)
  --seed TEXT    decides orders, customers, faults and kills (default 1)
  --store NAME   ${STORES.join(", ")}, or all (default all)
  --workers N    processes that share the store; memory has one (default 4)
  --kills N      workers to kill with SIGKILL; memory has none (default one for 50 payments)
  --no-pauses    stop no worker in the middle of a call
  --no-clock-steps
                 leave the wall clocks of workers as they are
  --no-engine-faults
                 do not kill, hang or cut off the engine of the store
  --history FILE append everything that happened to a file, one JSON object a line
  --check FILE   run no campaign, but check the histories in a file again
  --sabotage NAME
                 take a mechanism away, to see the campaign fail: ${SABOTAGES.join(", ")}`;

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new TypeError(`--${name} is ${text}. It takes a whole number from ${min} to ${max}.`);
}

/** One of a list, or `undefined` if nothing was given. */
function oneOf<T extends string>(name: string, text: string | undefined, list: readonly T[]) {
  const found = list.find((one) => one === text);
  if (found !== undefined || text === undefined) return found;
  throw new TypeError(`--${name} is ${text}. It takes ${list.join(", ")}.`);
}

/** @throws {TypeError} whose message says what to change. */
export function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const on = { type: "boolean", default: true } as const;
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      payments: text,
      seed: text,
      store: text,
      workers: text,
      kills: text,
      pauses: on,
      "clock-steps": on,
      "engine-faults": on,
      history: text,
      check: text,
      sabotage: text,
    },
  });
  const { payments: paymentCount = "2000", seed = "1", store = "all", workers = "4" } = values;
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
    pauses: values.pauses,
    clockSteps: values["clock-steps"],
    engineFaults: values["engine-faults"],
    history: values.history,
    check: values.check,
    sabotage: oneOf("sabotage", values.sabotage, SABOTAGES),
  };
}
