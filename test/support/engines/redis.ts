import { spawnSync } from "node:child_process";
import { type Engine, engineOf, type Recipe, say, startEngine } from "./engine.ts";

/** Whether this machine can start a Redis. If it cannot, it says which tests do not run. */
export function hasRedisServer(tests: string): boolean {
  if (spawnSync("redis-server", ["--version"]).status === 0) return true;
  say(`NOT RUN: the tests that need ${tests}. Put redis-server on the PATH.`);
  return false;
}

/** A Redis that keeps what it acknowledges, with further options. */
export const redisRecipe = (...options: readonly string[]): Recipe => ({
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
    ...options,
  ],
  ready: /Ready to accept connections/,
  crash: "SIGKILL",
  url: (port) => `redis://127.0.0.1:${port}`,
});

/** Starts a Redis that keeps what it acknowledges, with further options. */
export const launchRedis = (...options: readonly string[]): Promise<Engine> =>
  startEngine(redisRecipe(...options));

/**
 * The Redis of `REDIS_URL`, or a new one that keeps what it acknowledges, with further options.
 * `undefined` if there is neither.
 */
export async function startRedis(...options: readonly string[]): Promise<Engine | undefined> {
  const given = engineOf("REDIS_URL");
  if (given !== undefined) return given;
  if (!hasRedisServer("Redis (or set REDIS_URL)")) return undefined;
  return launchRedis(...options);
}
