import type { IdempotencyStore } from "../../client/idempotency/store.ts";
import { usageError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";
import { printError } from "../terminal/output.ts";
import { connectPostgres, connectRedis, requireFile } from "./databases.ts";
import { requireValue } from "./flag-values.ts";

/** A store that is open. */
export interface OpenStore {
  readonly store: IdempotencyStore;
  close(): unknown;
}

const FLAG = "--store";

async function openSqlite(path: string, scope: string): Promise<OpenStore> {
  requireFile(path, FLAG);
  const { sqliteIdempotency } = await import("../../client/idempotency/stores/sqlite.ts");
  const store = sqliteIdempotency(path, { scope });
  return { store, close: () => store.close() };
}

async function openRedis(url: string, { scope = "", prefix }: FlagValues): Promise<OpenStore> {
  const redis = connectRedis(url, FLAG);
  const { redisIdempotency } = await import("../../client/idempotency/stores/redis.ts");
  const onWarning = (message: string) => printError(message);
  const store = redisIdempotency(redis, { scope, onWarning, ...(prefix && { prefix }) });
  return { store, close: () => redis.disconnect() };
}

async function openPostgres(url: string, { scope = "", table }: FlagValues): Promise<OpenStore> {
  const pool = connectPostgres(url, FLAG);
  const { postgresIdempotency } = await import("../../client/idempotency/stores/postgres.ts");
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
