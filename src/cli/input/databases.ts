import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { Pool } from "pg";
import { usageError } from "../cli-error.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A package of the project in which the command runs: malipo does not depend on database clients.
 *
 * @param flag - The flag that requires it, as the error names it.
 */
export function loadFromProject<T>(name: string, flag: string): T {
  try {
    return createRequire(join(process.cwd(), "package.json"))(name) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw usageError(
      `This ${flag} requires the package ${name}, which is not installed in ${process.cwd()}. Run the command in your project, or install it: npm install ${name}`,
    );
  }
}

/** Throws where the file is missing: it would be created, and empty. */
export function requireFile(path: string, flag: string): void {
  if (!existsSync(path)) throw usageError(`${flag}: there is no file ${path}.`);
}

/** A connection that fails at once where nobody listens. */
export function connectRedis(url: string, flag: string): Redis {
  const ioredis = loadFromProject<{ Redis: typeof Redis }>("ioredis", flag);
  const redis = new ioredis.Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The command itself fails, with the reason.
  redis.on("error", () => {});
  return redis;
}

/** A pool of one connection. */
export function connectPostgres(url: string, flag: string): Pool {
  const pg = loadFromProject<{ Pool: new (options: object) => Pool }>("pg", flag);
  const options = { connectionString: url, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  return new pg.Pool(options);
}
