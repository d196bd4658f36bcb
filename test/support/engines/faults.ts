import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Engine } from "./engine.ts";

/** What can be done to an engine. A SQLite file that hangs or is locked has been locked by another process. */
export type EngineFault = "killed" | "hung" | "cut" | "locked";

/** The engine of a store or an inbox, to which something can happen. */
export interface FaultyEngine {
  readonly faults: readonly EngineFault[];
  /** Resolves as soon as the fault is there, with a promise of its end. */
  inject(fault: EngineFault): Promise<{ readonly over: Promise<void> }>;
}

/** How long an engine that hangs does not respond. */
const HANG_MS = 1_500;
/** Longer than the 5 s for which a store or an inbox waits for the lock of its file. */
const LOCKED_MS = 7_000;
/** How long a crash takes until its clients notice. */
const CRASH_MS = 50;

async function cutRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  redis.disconnect();
}

async function cutPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  await client.end();
}

async function cutMysql(url: string): Promise<void> {
  const connection = await mysql.createConnection(url);
  const [rows] = await connection.query<mysql.RowDataPacket[]>(
    "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user <> 'system user'",
  );
  for (const { id } of rows) {
    // It may have ended in the meantime.
    await connection.query(`KILL ${id}`).catch(() => {});
  }
  await connection.end();
}

const CUTS = { redis: cutRedis, postgres: cutPostgres, mysql: cutMysql };

async function hangEngine(engine: Engine): Promise<void> {
  await sleep(HANG_MS);
  engine.resume();
}

/** A server. One that was given by its address can only lose its connections. */
export function faultyServer(engine: Engine, name: keyof typeof CUTS): FaultyEngine {
  return {
    faults: engine.restarts ? ["killed", "hung", "cut"] : ["cut"],
    inject: async (fault) => {
      if (fault === "cut") {
        await CUTS[name](engine.url);
        return { over: Promise.resolve() };
      }
      if (fault === "hung") {
        engine.hang();
        return { over: hangEngine(engine) };
      }
      const over = engine.restart();
      await Promise.race([over, sleep(CRASH_MS)]);
      return { over };
    },
  };
}

/** A SQLite file that another process locks. */
export function faultyFile(file: string): FaultyEngine {
  return {
    faults: ["hung", "locked"],
    inject: async (fault) => {
      const database = new DatabaseSync(file);
      database.exec("PRAGMA busy_timeout = 2000; BEGIN IMMEDIATE");
      const release = async () => {
        await sleep(fault === "hung" ? HANG_MS : LOCKED_MS);
        database.exec("ROLLBACK");
        database.close();
      };
      return { over: release() };
    },
  };
}
