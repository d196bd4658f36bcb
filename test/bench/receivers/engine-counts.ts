import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";

/** A proxy before an engine, which counts. */
export interface CountingProxy {
  readonly url: string;
  /** How often a client waited for the engine: requests that were sent together are one. */
  trips(): number;
  /** How many bytes the engine got. */
  bytes(): number;
  close(): void;
}

export async function countingProxy(engineUrl: string): Promise<CountingProxy> {
  const url = new URL(engineUrl);
  const [host, enginePort] = [url.hostname, Number(url.port)];
  let [trips, bytes] = [0, 0];
  const server = createServer((near) => {
    const far = connect(enginePort, host);
    let isAsked = false;
    near.on("data", (chunk) => {
      bytes += chunk.length;
      if (!isAsked) trips++;
      isAsked = true;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      isAsked = false;
      near.write(chunk);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    trips: () => trips,
    bytes: () => bytes,
    close: () => server.close(),
  };
}

/** Counts how often some processes wait for the disk. */
export interface SyncCounter {
  /** So far; `undefined` on a machine that cannot count them. */
  count(): number | undefined;
  stop(): void;
}

const hasStrace = (): boolean => spawnSync("strace", ["-V"]).status === 0;

/** @param file - Where the calls are written. */
export async function countSyncs(pids: readonly number[], file: string): Promise<SyncCounter> {
  if (pids.length === 0 || !hasStrace()) return { count: () => undefined, stop: () => {} };
  const args = ["-f", "-e", "trace=fsync,fdatasync", "-o", file];
  const strace: ChildProcess = spawn(
    "strace",
    [...args, ...pids.flatMap((pid) => ["-p", `${pid}`])],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  // It says so when it has attached, or that it may not.
  await Promise.race([once(strace.stderr as NodeJS.ReadableStream, "data"), once(strace, "exit")]);
  if (strace.exitCode !== null) return { count: () => undefined, stop: () => {} };
  const read = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return {
    // A call that another thread interrupts has two lines.
    count: () => read().match(/\bf(data)?sync\(/g)?.length ?? 0,
    stop: () => strace.kill("SIGTERM"),
  };
}
