import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { startWorker, type WorkerProcess } from "../support/worker-process.ts";
import type { Reply, Shop, Task } from "./idempotency-worker.ts";

const WORKER = fileURLToPath(new URL("./idempotency-worker.ts", import.meta.url));

/** A process that pays, or resolves, under a key. */
export type Worker = WorkerProcess<Task, Reply>;

/** Starts a process of a shop, and waits until it is ready. */
export const startShopWorker = (shop: Shop): Promise<Worker> => startWorker(WORKER, shop);

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
