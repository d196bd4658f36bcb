import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type mysql from "mysql2/promise";
import type { Pool } from "pg";
import { usageError } from "../cli-error.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { pathOf } from "./files.ts";
import { requireValue } from "./flag-values.ts";

const CONNECT_TIMEOUT_MS = 5_000;

/** How the address of a server begins. */
const SERVERS = [
  ["redis", /^rediss?:\/\//],
  ["postgres", /^postgres(ql)?:\/\//],
  ["mysql", /^(mysql|mariadb):\/\//],
] as const;

/** The forms of `--store` for an engine that holds orders. */
export const SQL_ADDRESSES = "sqlite:, postgres:// or mysql://";

/** The place of a store: the path of a SQLite file, or the URL of a server. */
export interface StoreAddress {
  readonly engine: "sqlite" | (typeof SERVERS)[number][0];
  readonly address: string;
}

/**
 * What `--store` names.
 *
 * @param engines - The forms that the command takes.
 * @throws {CliError} `usage`, also for a file that is missing.
 */
export function storeAddress(
  { flags, io }: Input<{ readonly store: string | undefined }>,
  engines = "sqlite:, redis://, postgres:// or mysql://",
): StoreAddress {
  const url = requireValue(flags, "store");
  if (url.startsWith("sqlite:")) {
    const path = url.slice("sqlite:".length).replace(/^\/\//, "");
    // It would be created, and empty.
    if (!existsSync(pathOf(io, path)))
      throw usageError(
        `--store: there is no file ${path} in ${io.cwd}. Run the command in the folder of your project, or give the whole path.`,
      );
    return { engine: "sqlite", address: pathOf(io, path) };
  }
  const [engine] = SERVERS.find(([, beginning]) => beginning.test(url)) ?? [];
  if (engine !== undefined) return { engine, address: url };
  throw usageError(`--store must start with ${engines}, such as sqlite:payments.db.`);
}

/** A package of the project in which the command runs: malipo does not depend on database clients. */
export function loadFromProject<T>({ cwd }: Io, name: string): T {
  try {
    return createRequire(join(cwd, "package.json"))(name) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw usageError(
      `This --store requires the package ${name}, which is not installed in ${cwd}. Run the command in your project, or install it: npm install ${name}`,
    );
  }
}

/** A connection that fails at once if nothing listens there. */
export function connectRedis(io: Io, url: string): Redis {
  const ioredis = loadFromProject<{ Redis: typeof Redis }>(io, "ioredis");
  const redis = new ioredis.Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The command itself fails, with the reason.
  redis.on("error", () => {});
  return redis;
}

/** A small pool. */
export function connectPostgres(io: Io, url: string): Pool {
  const pg = loadFromProject<{ Pool: new (options: object) => Pool }>(io, "pg");
  const options = { connectionString: url, max: 2, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  return new pg.Pool(options);
}

/** A small pool. */
export function connectMysql(io: Io, url: string): mysql.Pool {
  const { createPool } = loadFromProject<typeof mysql>(io, "mysql2/promise");
  return createPool({
    uri: url,
    connectionLimit: 2,
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: "utf8mb4",
  });
}
