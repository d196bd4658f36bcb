import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Orders } from "./shop.ts";

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A shop in a process of its own. */
export interface ShopProcess {
  /** Resolves with the signal that ended it, if one did. */
  readonly exit: Promise<NodeJS.Signals | null>;
  /** What it complained of. */
  readonly complaints: string[];
  kill(): Promise<void>;
  /** Asks it to end. */
  end(): void;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts the shop, and waits until it takes deliveries. */
export async function openShop(program: string, orders: Orders): Promise<ShopProcess> {
  const child = fork(program, [JSON.stringify(orders)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: [],
  });
  running.add(child);
  const complaints: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
  const exit = once(child, "exit").then(([, signal]) => {
    running.delete(child);
    return signal as NodeJS.Signals | null;
  });
  const listening = once(child, "message");
  const ended = exit.then(() => "ended");
  if ((await Promise.race([listening, ended])) === "ended") {
    throw new Error(`The shop ended before it took deliveries:\n${complaints.join("")}`);
  }
  return {
    exit,
    complaints,
    end: () => child.kill("SIGTERM"),
    kill: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
