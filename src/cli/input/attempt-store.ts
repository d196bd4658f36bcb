import type { IdempotencyStore } from "../../idempotency/store.ts";
import { usageError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";
import { printError } from "../terminal/output.ts";
import { connectPostgres, connectRedis, requireFile } from "./databases.ts";
import { readSecretFile, requireValue } from "./flag-values.ts";

/** A store that is open. */
export interface OpenStore {
  readonly store: IdempotencyStore;
  close(): unknown;
}

const FLAG = "--store";

/** The options of every store. */
function storeOptions(values: FlagValues) {
  const pepper = readSecretFile(values, "pepper-file");
  return { scope: values.scope ?? "", ...(pepper !== undefined && { pepper }) };
}

async function openSqlite(path: string, values: FlagValues): Promise<OpenStore> {
  requireFile(path, FLAG);
  const { sqliteIdempotency } = await import("../../idempotency/sqlite/store.ts");
  const store = sqliteIdempotency(path, storeOptions(values));
  return { store, close: () => store.close() };
}

async function openRedis(url: string, values: FlagValues): Promise<OpenStore> {
  const redis = connectRedis(url, FLAG);
  const { redisIdempotency } = await import("../../idempotency/redis/store.ts");
  const onWarning = (message: string) => printError(message);
  const { prefix } = values;
  const options = { ...storeOptions(values), onWarning, ...(prefix && { prefix }) };
  const store = redisIdempotency(redis, options);
  return { store, close: () => redis.disconnect() };
}

async function openPostgres(url: string, values: FlagValues): Promise<OpenStore> {
  const pool = connectPostgres(url, FLAG);
  const { postgresIdempotency } = await import("../../idempotency/postgres/store.ts");
  const { table } = values;
  const store = postgresIdempotency(pool, { ...storeOptions(values), ...(table && { table }) });
  return { store, close: () => pool.end() };
}

/** Opens the store that `--store` names. */
export function openStore(values: FlagValues): Promise<OpenStore> {
  const url = requireValue(values, "store");
  if (url.startsWith("sqlite:")) {
    return openSqlite(url.slice("sqlite:".length).replace(/^\/\//, ""), values);
  }
  if (/^rediss?:\/\//.test(url)) return openRedis(url, values);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, values);
  throw usageError(
    "--store must start with sqlite:, redis:// or postgres://, such as sqlite:payments.db.",
  );
}
