import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";
import type { PgBoss } from "pg-boss";
import { isGatewayError } from "../../errors/any.ts";
import { describeError } from "../../internal/describe-error.ts";
import { storedRetentionMs } from "../../webhooks/inbox/bullmq/meta.ts";
import type { Conflict, DeadLetter, EventList } from "../../webhooks/inbox/event-list.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { connectPostgres, connectRedis, loadFromProject, requireFile } from "../input/databases.ts";

/** The lists of an inbox that is open. It processes nothing. */
export interface OpenInbox {
  readonly deadLetters: EventList<DeadLetter>;
  readonly conflicts: EventList<Conflict>;
  close(): unknown;
}

const DEFAULT_QUEUE = "malipo-webhooks";

// An inbox creates what is missing. A command that looks at one must not.
const noInbox = (where: string): CliError =>
  usageError(`There is no inbox in ${where}. Check the address and the name.`);

async function openSqlite(path: string): Promise<OpenInbox> {
  requireFile(path, "--db");
  requireTable(path);
  const { sqliteInbox } = await import("../../webhooks/inbox/sqlite/inbox.ts");
  const inbox = sqliteInbox(path);
  return { ...lists(inbox), close: () => inbox.close() };
}

function requireTable(path: string): void {
  const sqlite: typeof import("node:sqlite") = createRequire(import.meta.url)("node:sqlite");
  const query = "SELECT 1 FROM sqlite_schema WHERE name = 'malipo_inbox'";
  let database: DatabaseSync | undefined;
  let isInbox = false;
  try {
    database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    isInbox = database.prepare(query).get() !== undefined;
  } catch (error) {
    throw usageError(`--db: cannot read ${path}: ${(error as Error).message}.`);
  } finally {
    database?.close();
  }
  if (!isInbox) throw noInbox(path);
}

async function openRedis(url: string, { queue = DEFAULT_QUEUE }: FlagValues): Promise<OpenInbox> {
  const redis = connectRedis(url, "--redis");
  let retentionMs: number | undefined;
  try {
    retentionMs = await storedRetentionMs(redis, queue);
  } finally {
    redis.disconnect();
  }
  if (retentionMs === undefined) throw noInbox(`the queue ${queue} of this Redis`);
  loadFromProject("bullmq", "--redis");
  const { bullmqInbox } = await import("../../webhooks/inbox/bullmq/inbox.ts");
  const inbox = bullmqInbox({ connection: { url }, queue, retentionMs });
  return { ...lists(inbox), close: () => inbox.stop(0) };
}

async function openPostgres(
  connectionString: string,
  { queue = DEFAULT_QUEUE, schema }: FlagValues,
): Promise<OpenInbox> {
  const retentionMs = await retentionOf(connectionString, queue, schema);
  const pgBoss = loadFromProject<{ PgBoss: typeof PgBoss }>("pg-boss", "--postgres");
  // It neither changes its tables nor looks after jobs: that is for the processes of the shop.
  const off = { migrate: false, supervise: false, schedule: false };
  const boss = new pgBoss.PgBoss({ connectionString, schema: schema ?? "pgboss", max: 2, ...off });
  boss.on("error", () => {});
  const { pgBossInbox } = await import("../../webhooks/inbox/pg-boss/inbox.ts");
  const inbox = pgBossInbox({
    boss,
    queue,
    ...(schema !== undefined && { schema }),
    ...(retentionMs > 0 && { retentionMs }),
  });
  const close = async () => {
    await inbox.stop(0);
    await boss.stop({ graceful: false });
  };
  return { ...lists(inbox), close };
}

/** The retention that the processes of the shop use: what is dropped is remembered as long. */
async function retentionOf(url: string, queue: string, schema = "malipo_inbox"): Promise<number> {
  const pool = connectPostgres(url, "--postgres");
  try {
    const table = `${schema}."${queue.replaceAll('"', '""')}_meta"`;
    const { rows } = await pool.query("SELECT to_regclass($1) AS name", [table]);
    if (rows[0]?.name === null) {
      throw noInbox(`the queue ${queue} in the schema ${schema} of this PostgreSQL`);
    }
    const text = `SELECT max(substr(name, 11)::bigint) AS ms FROM ${table} WHERE name LIKE 'retention %'`;
    return Number((await pool.query(text)).rows[0].ms);
  } finally {
    await pool.end();
  }
}

const lists = ({
  deadLetters,
  conflicts,
}: {
  deadLetters?: EventList<DeadLetter> | undefined;
  conflicts?: EventList<Conflict> | undefined;
}) => ({
  deadLetters: deadLetters as EventList<DeadLetter>,
  conflicts: conflicts as EventList<Conflict>,
});

const ENGINES: Readonly<
  Record<string, (address: string, values: FlagValues) => Promise<OpenInbox>>
> = { db: openSqlite, redis: openRedis, postgres: openPostgres };

/** The flags that one kind of inbox does not have. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  db: ["queue", "schema"],
  redis: ["schema"],
  postgres: [],
};

/** Opens the inbox that `--db`, `--redis` or `--postgres` names. */
export async function openInbox(values: FlagValues): Promise<OpenInbox> {
  const given = Object.keys(ENGINES).filter((name) => values[name]);
  const [engine = ""] = given;
  const open = ENGINES[engine];
  if (open === undefined || given.length > 1) {
    throw usageError(
      "Name one inbox: --db inbox.db, --redis redis://localhost or --postgres postgres://localhost/shop.",
    );
  }
  const other = OTHERS[engine]?.find((name) => values[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} does not go with --${engine}.`);
  return reached(() => open(values[engine] ?? "", values));
}

/** What an engine that cannot be reached rejects with, as an error of the command line. */
export async function reached<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError || isGatewayError(error)) throw error;
    const message = `The inbox failed: ${describeError(error)}`;
    throw new CliError(EXIT.unreachable, "unreachable", message, { cause: error });
  }
}
