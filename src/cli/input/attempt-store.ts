import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { Pool } from "pg";
import type { IdempotencyStore } from "../../client/idempotency/store.ts";
import { usageError } from "../cli-error.ts";
import type { FlagValues } from "../definitions/types.ts";
import { printError } from "../terminal/output.ts";
import { requireValue } from "./flag-values.ts";

/** A store that is open. */
export interface OpenStore {
  readonly store: IdempotencyStore;
  close(): unknown;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A package of the project in which the command runs: malipo does not depend on database clients. */
function loadFromProject<T>(name: string): T {
  try {
    return createRequire(join(process.cwd(), "package.json"))(name) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw usageError(
      `This --store requires the package ${name}, which is not installed in ${process.cwd()}. Run the command in your project, or install it: npm install ${name}`,
    );
  }
}

async function openSqlite(path: string, scope: string): Promise<OpenStore> {
  // The store would create it, and list nothing.
  if (!existsSync(path)) throw usageError(`--store: there is no file ${path}.`);
  const { sqliteIdempotency } = await import("../../client/idempotency/stores/sqlite.ts");
  const store = sqliteIdempotency(path, { scope });
  return { store, close: () => store.close() };
}

async function openRedis(url: string, { scope = "", prefix }: FlagValues): Promise<OpenStore> {
  const ioredis = loadFromProject<{ Redis: typeof Redis }>("ioredis");
  const { redisIdempotency } = await import("../../client/idempotency/stores/redis.ts");
  const redis = new ioredis.Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The command itself fails, with the reason.
  redis.on("error", () => {});
  const onWarning = (message: string) => printError(message);
  const store = redisIdempotency(redis, { scope, onWarning, ...(prefix && { prefix }) });
  return { store, close: () => redis.disconnect() };
}

async function openPostgres(url: string, { scope = "", table }: FlagValues): Promise<OpenStore> {
  const pg = loadFromProject<{ Pool: new (options: object) => Pool }>("pg");
  const { postgresIdempotency } = await import("../../client/idempotency/stores/postgres.ts");
  const options = { connectionString: url, max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const pool = new pg.Pool(options);
  const store = postgresIdempotency(pool, { scope, ...(table && { table }) });
  return { store, close: () => pool.end() };
}

/** Opens the store that `--store` names. */
export function openStore(values: FlagValues): Promise<OpenStore> {
  const url = requireValue(values, "store");
  const { scope = "" } = values;
  if (url.startsWith("sqlite:")) {
    return openSqlite(url.slice("sqlite:".length).replace(/^\/\//, ""), scope);
  }
  if (/^rediss?:\/\//.test(url)) return openRedis(url, values);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, values);
  throw usageError(
    "--store must start with sqlite:, redis:// or postgres://, such as sqlite:payments.db.",
  );
}
