import { spawnSync } from "node:child_process";
import { type Engine, givenEngine, say, startEngine } from "./engine.ts";

/**
 * The Redis of `REDIS_URL`, or a new one that keeps what it acknowledges. `undefined` if there is
 * neither.
 */
export async function startRedis(): Promise<Engine | undefined> {
  const { REDIS_URL } = process.env;
  if (REDIS_URL) return givenEngine(REDIS_URL, "REDIS_URL");
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    say("NOT RUN: the tests that need Redis. Set REDIS_URL, or put redis-server on the PATH.");
    return undefined;
  }
  return startEngine({
    name: "redis",
    // biome-ignore format: an option and its value a line
    command: (folder, port) => ["redis-server",
      "--port", `${port}`,
      "--bind", "127.0.0.1",
      "--dir", folder,
      "--appendonly", "yes",
      "--appendfsync", "always",
      "--save", "",
      "--maxmemory-policy", "noeviction",
    ],
    ready: /Ready to accept connections/,
    crash: "SIGKILL",
    url: (port) => `redis://127.0.0.1:${port}`,
  });
}
