import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Reply, Shop, Task } from "./idempotency-worker.ts";

const WORKER = fileURLToPath(new URL("./idempotency-worker.ts", import.meta.url));

/** A worker process. */
export interface Worker {
  /** Pays, or resolves, under a key. */
  do(task: Task): Promise<Reply>;
  kill(): Promise<void>;
}

/** Starts a process of a shop, and waits until it is ready. */
export async function startWorker(shop: Shop): Promise<Worker> {
  const child: ChildProcess = fork(WORKER, [JSON.stringify(shop)], { execArgv: [] });
  const waiting = new Map<number, (reply: Reply) => void>();
  const replyTo = (id: number) =>
    new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
    });
  child.on("message", ({ id, reply }: { id: number; reply: Reply }) => waiting.get(id)?.(reply));
  const died = once(child, "exit").then(() => Promise.reject(new Error("A worker did not start.")));
  await Promise.race([replyTo(0), died]);
  died.catch(() => {});
  let tasks = 0;
  return {
    do: (task) => {
      const id = ++tasks;
      child.send({ id, task });
      return replyTo(id);
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** A server on loopback. */
export async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
