import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { endWithThisProcess, hasEnded, killChild } from "../../../src/drill/child.ts";
import { GOES_ON, type Report, type Setup, STANDS } from "./messages.ts";

/** A process of the shop. */
export interface ShopProcess {
  /** 0 until it takes requests. */
  port: number;
  /** Sends a body, as JSON if it is no text. Resolves with the answer; `undefined` if it has none, or an error. */
  post(path: string, body: unknown, headers?: HeadersInit): Promise<string | undefined>;
  /** Lets it go on from where it stands. */
  goOn(): void;
  kill(): Promise<void>;
}

interface Listeners {
  readonly onReport: (report: Report, shop: ShopProcess) => void;
  /** It stands at the point of an order, until it is killed or goes on. */
  readonly onStands: (order: string, shop: ShopProcess) => void;
  /** It has ended, and was not killed. */
  readonly onDeath: (shop: ShopProcess) => void;
}

const MAX_ANSWER_MS = 40_000;

/** Starts a process of the shop. Resolves when it takes requests. */
export async function startShop(
  file: string,
  setup: Setup,
  { onReport, onStands, onDeath }: Listeners,
): Promise<ShopProcess> {
  const child: ChildProcess = fork(file, {
    env: { ...process.env, SETUP: JSON.stringify(setup) },
    stdio: ["ignore", "ignore", "ignore", "ipc", "pipe", "pipe"],
    execArgv: [],
  });
  endWithThisProcess(child);
  const stdio: readonly unknown[] = child.stdio;
  const goesOn = stdio[GOES_ON] as Writable;
  // A process that was killed reads nothing.
  goesOn.on("error", () => {});
  const shop = processOn(child, goesOn);
  return new Promise((resolve, reject) => {
    // It may stand before it takes requests: an effect of an earlier process is due when it starts.
    createInterface({ input: stdio[STANDS] as Readable }).on("line", (order) =>
      onStands(order, shop),
    );
    child.once("exit", (code, signal) => {
      if (shop.port === 0) reject(new Error(`The shop did not start: ${code ?? signal}.`));
      else if (signal !== "SIGKILL") onDeath(shop);
    });
    child.on("error", () => {});
    child.on("message", (report: Report) => {
      if (report.what === "ready") {
        shop.port = report.port;
        resolve(shop);
      } else onReport(report, shop);
    });
  });
}

const processOn = (child: ChildProcess, goesOn: Writable): ShopProcess => ({
  port: 0,
  async post(path, body, headers) {
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
        ...{ method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) },
        headers: { "content-type": "application/json", ...headers },
        signal: AbortSignal.timeout(MAX_ANSWER_MS),
      });
      const text = await response.text();
      return response.ok ? text : undefined;
    } catch {
      return undefined;
    }
  },
  goOn: () => {
    if (!hasEnded(child)) goesOn.write("\n");
  },
  kill: () => killChild(child),
});
