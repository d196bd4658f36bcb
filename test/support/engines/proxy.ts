import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll } from "vitest";
import type { Engine } from "./engine.ts";

/** A proxy before an engine, which can be cut off. */
export interface EngineProxy {
  readonly url: string;
  /** Rejects new connections, and breaks the open ones. */
  cut(): Promise<void>;
  /** Breaks the open connections as a firewall does that forgets them. */
  reset(): void;
  restore(): Promise<void>;
  /** Keeps the connections open, and drops all data. */
  silence(): void;
  /** The number of connections so far. */
  connections(): number;
  /** Sends new connections to another engine, and leaves the open ones as they are. */
  moveTo(engine: Engine): void;
  /** Changes what the engine replies. `undefined` ends the change. */
  changeReplies(change: ((chunk: Buffer) => Buffer) | undefined): void;
  /** Waits for the function before the engine gets what a client sends. */
  beforeRequests(wait: (chunk: Buffer) => Promise<unknown>): void;
}

const proxies = new Set<Server>();

/** Closes the proxies that tests opened, when all of them have ended: they may run side by side. */
export function closeProxies(): void {
  afterAll(() => {
    for (const server of proxies) server.close();
    proxies.clear();
  });
}

export async function proxyTo(engine: Engine): Promise<EngineProxy> {
  let target = new URL(engine.url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let connections = 0;
  let changeReply: ((chunk: Buffer) => Buffer) | undefined;
  let waitBefore: ((chunk: Buffer) => Promise<unknown>) | undefined;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    connections++;
    // An engine that hangs closes nothing, either.
    near.on("end", () => isSilent || near.end());
    const far = connect(Number(target.port), target.hostname);
    const forward = (from: Socket, to: Socket, write: (chunk: Buffer) => unknown) => {
      sockets.add(from);
      from.on("data", (chunk) => isSilent || write(chunk));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    };
    let sent = Promise.resolve();
    forward(near, far, (chunk) => {
      const wait = waitBefore;
      sent = sent.then(async () => {
        await wait?.(chunk);
        far.write(chunk);
      });
    });
    forward(far, near, (chunk) => near.write(changeReply?.(chunk) ?? chunk));
  });
  const cut = async () => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxies.add(server);
  const { port } = server.address() as AddressInfo;
  const url = new URL(engine.url);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    restore: async () => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    silence: () => {
      isSilent = true;
    },
    connections: () => connections,
    moveTo: (other) => {
      target = new URL(other.url);
    },
    changeReplies: (change) => {
      changeReply = change;
    },
    beforeRequests: (wait) => {
      waitBefore = wait;
    },
  };
}
