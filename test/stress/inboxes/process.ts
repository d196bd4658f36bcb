import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endWithThisProcess, killChild } from "../../../src/drill/child.ts";
import type { ShopSettings } from "./shop.ts";

/** A shop in its process. */
export interface ShopProcess {
  /** Resolves with the signal that ended it, if one did. */
  readonly exit: Promise<NodeJS.Signals | null>;
  /** What it wrote to stderr. */
  readonly errors: string[];
  kill(): Promise<void>;
  /** Stops it for a time, as a machine that is suspended does. */
  freeze(ms: number): Promise<void>;
  /** Asks it to end. */
  end(): void;
}

/** Starts the shop, and waits until it accepts deliveries. */
export async function openShop(program: string, settings: ShopSettings): Promise<ShopProcess> {
  const hook = fileURLToPath(new URL("./next-version.ts", import.meta.url));
  const child = fork(program, [JSON.stringify(settings)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: settings.version === "next" ? ["--import", hook] : [],
  });
  endWithThisProcess(child);
  const errors: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const exit = once(child, "exit").then(([, signal]) => signal as NodeJS.Signals | null);
  const listening = once(child, "message");
  const ended = exit.then(() => "ended");
  if ((await Promise.race([listening, ended])) === "ended") {
    throw new Error(`The shop ended before it accepted deliveries:\n${errors.join("")}`);
  }
  return {
    exit,
    errors,
    end: () => child.kill("SIGTERM"),
    freeze: async (ms) => {
      child.kill("SIGSTOP");
      await sleep(ms);
      child.kill("SIGCONT");
    },
    kill: () => killChild(child),
  };
}
