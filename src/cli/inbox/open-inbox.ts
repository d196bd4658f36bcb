import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";
import { isGatewayError } from "../../errors/any.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import type { Inbox } from "../../webhooks/inbox/inbox-types.ts";
import { retentionQuery } from "../../webhooks/inbox/tables.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type { INBOX_STORE } from "../flags/stores.ts";
import {
  connectPostgres,
  connectRedis,
  loadFromProject,
  type StoreAddress,
  storeAddress,
} from "../input/databases.ts";
import type { Io } from "../io.ts";

/** An inbox of which the command line reads and changes the lists. It processes nothing. */
export type ListedInbox = {
  readonly [Name in
    | "deadLetters"
    | "conflicts"
    | "doublePayments"
    | "waiting"
    | "stats"]: NonNullable<Inbox[Name]>;
};

export type StoreFlags = FlagsOf<typeof INBOX_STORE>;

/** An inbox that is open. */
export interface OpenInbox {
  readonly inbox: ListedInbox;
  close(): unknown;
}

const DEFAULT_QUEUE = "malipo-webhooks";

// An inbox creates what is missing. A command that looks at one must not.
const noInbox = (place: string): CliError =>
  usageError(`There is no inbox in ${place}. Check the address and the name.`);

async function openSqlite(path: string): Promise<OpenInbox> {
  const retentionMs = retentionInFile(path);
  const { sqliteInbox } = await import("../../webhooks/inbox/sqlite/inbox.ts");
  const inbox = sqliteInbox(path, { retentionMs });
  return { inbox: inbox as Inbox as ListedInbox, close: () => inbox.close() };
}

const retentionIn = (row: Readonly<Record<string, unknown>> | undefined): number | undefined =>
  row === undefined ? undefined : Number(row.value);

/** @throws {CliError} `usage` if the file has no inbox. */
function retentionInFile(path: string): number | undefined {
  const sqlite: typeof import("node:sqlite") = createRequire(import.meta.url)("node:sqlite");
  const query = "SELECT 1 FROM sqlite_schema WHERE name = 'malipo_inbox_meta'";
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    if (database.prepare(query).get() !== undefined) {
      return retentionIn(database.prepare(retentionQuery("malipo_inbox_meta")).get());
    }
  } catch (error) {
    throw usageError(`--store: cannot read ${path}: ${(error as Error).message}.`);
  } finally {
    database?.close();
  }
  throw noInbox(path);
}

async function openRedis(
  url: string,
  { flags: { queue = DEFAULT_QUEUE }, io }: Input<StoreFlags>,
): Promise<OpenInbox> {
  const redis = connectRedis(io, url);
  let retentionMs: number | undefined;
  try {
    loadFromProject(io, "bullmq");
    const { storedRetentionMs } = await import("../../webhooks/inbox/bullmq/queue.ts");
    retentionMs = await storedRetentionMs(redis, queue);
  } finally {
    redis.disconnect();
  }
  if (retentionMs === undefined) throw noInbox(`the queue ${queue} of this Redis`);
  const { bullmqInbox } = await import("../../webhooks/inbox/bullmq/inbox.ts");
  const inbox = bullmqInbox({ connection: { url }, queue, retentionMs });
  return { inbox: inbox as ListedInbox, close: () => inbox.stop(0) };
}

async function openPostgres(
  connectionString: string,
  { flags: { schema }, io }: Input<StoreFlags>,
): Promise<OpenInbox> {
  const retentionMs = await retentionInTables(io, connectionString, schema);
  const { postgresInbox } = await import("../../webhooks/inbox/postgres/inbox.ts");
  const inbox = postgresInbox({ connectionString, retentionMs, schema });
  return { inbox: inbox as Inbox as ListedInbox, close: () => inbox.stop(0) };
}

/** @throws {CliError} `usage` if the tables of the inbox are not there. */
async function retentionInTables(
  io: Io,
  url: string,
  schema = "malipo_checkout",
): Promise<number | undefined> {
  const pool = connectPostgres(io, url);
  try {
    const table = `${schema}.inbox_meta`;
    const { rows } = await pool.query("SELECT to_regclass($1) AS name", [table]);
    if (rows[0]?.name !== null)
      return retentionIn((await pool.query(retentionQuery(table))).rows[0]);
    throw noInbox(`the schema ${schema} of this PostgreSQL`);
  } finally {
    await pool.end();
  }
}

type Opener = (address: string, input: Input<StoreFlags>) => Promise<OpenInbox>;

/** How each engine is opened, and the flags that it does not have. */
const ENGINES: Readonly<
  Record<
    StoreAddress["engine"],
    { readonly open: Opener; readonly others: readonly ("queue" | "schema")[] }
  >
> = {
  sqlite: { open: openSqlite, others: ["queue", "schema"] },
  redis: { open: openRedis, others: ["schema"] },
  postgres: { open: openPostgres, others: ["queue"] },
};

/** Opens the inbox that `--store` names. */
async function openInbox(input: Input<StoreFlags>): Promise<OpenInbox> {
  const { engine, address } = storeAddress(input);
  const { open, others } = ENGINES[engine];
  const other = others.find((name) => input.flags[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} does not go with --store ${engine}:...`);
  return open(address, input);
}

/** A command about the inbox that `--store` names. */
export const withInbox =
  <Flags extends StoreFlags>(work: (inbox: ListedInbox, input: Input<Flags>) => Promise<Output>) =>
  async (input: Input<Flags>): Promise<Output> => {
    try {
      const { inbox, close } = await openInbox(input);
      try {
        return await work(inbox, input);
      } finally {
        await close();
      }
    } catch (error) {
      if (error instanceof CliError || isGatewayError(error)) throw error;
      // What an engine that cannot be reached rejects with.
      const message = `The inbox failed: ${describeError(error)}`;
      throw new CliError("unreachable", message, { cause: error });
    }
  };
