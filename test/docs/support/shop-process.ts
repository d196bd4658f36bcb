import { spawn } from "node:child_process";
import { once } from "node:events";
import { untilItAnswers } from "../../support/running.ts";

/** A shop that runs as a separate process. */
export interface ShopProcess {
  /** All that it has printed so far. */
  printed(): string;
  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal; returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** How a shop is run: the arguments of Node.js, the folder, and variables that it needs. */
export interface ShopProgram {
  readonly args: readonly string[];
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** That of what it stands on. */
  readonly version?: string;
}

/** Runs a shop, and waits until it answers. */
export async function startShop(
  { args, folder = ".", env: own }: ShopProgram,
  env: Readonly<Record<string, string>>,
): Promise<ShopProcess> {
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...own, ...env },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
  }
  const exit = once(child, "exit");
  await untilItAnswers({ child, printed: () => printed }, `http://127.0.0.1:${env.PORT}/`);
  return {
    printed: () => printed,
    signal: (signal) => void child.kill(signal),
    end: async (signal) => {
      child.kill(signal);
      const [code, by] = await exit;
      return code ?? by;
    },
  };
}
