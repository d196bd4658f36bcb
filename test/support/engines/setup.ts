import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { Engine } from "./engine.ts";
import { startMysql } from "./mysql.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which the test files ask for the engines that they share. */
    engines: string;
  }
}

/** Enough databases and connections for all test files. */
const START = {
  "/redis": () => startRedis("--databases", "1000"),
  "/postgres": () => startPostgres("max_connections=500"),
  "/mysql": () => startMysql("--max-connections=500"),
  // Loaded only for tests that use it.
  "/chromium": async () => (await import("../chromium.ts")).serveChromium(),
} as const;

/** Starts each engine of a run when the first test file asks for it, and stops them after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Engine | undefined>>();
  let files = 0;
  const server = createServer(async ({ url }, response) => {
    const path = url as keyof typeof START;
    const engine = started.get(path) ?? START[path]();
    started.set(path, engine);
    try {
      const { url: address, restarts } = (await engine) ?? {};
      response.end(JSON.stringify({ address, isOwn: restarts, file: ++files }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  project.provide("engines", `http://127.0.0.1:${port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    for (const engine of started.values()) await (await engine.catch(() => undefined))?.stop();
  };
}
