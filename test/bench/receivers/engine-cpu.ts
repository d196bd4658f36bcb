import { readdirSync, readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { Client } from "pg";

/** The CPU time that an engine has used, in microseconds. */
export interface EngineCpu {
  used(): Promise<number>;
  close(): Promise<void>;
}

/** SQLite works inside of the receivers. */
export const NO_ENGINE: EngineCpu = { used: async () => 0, close: async () => {} };

export function redisCpu(url: string): EngineCpu {
  const redis = new Redis(url);
  return {
    used: async () => {
      const info = await redis.info("cpu");
      const seconds = (name: string) =>
        Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? Number.NaN);
      return (seconds("used_cpu_sys") + seconds("used_cpu_user")) * 1e6;
    },
    close: async () => redis.disconnect(),
  };
}

/** Linux counts CPU time in hundredths of a second. */
const TICK_US = 10_000;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly us: number;
}

function processes(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of a process is in parentheses, and may hold spaces.
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = stat
          .slice(stat.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
        const at = (field: number) => fields[field - 3] ?? 0;
        // Its own time, and that of its children that have ended.
        const us = (at(14) + at(15) + at(16) + at(17)) * TICK_US;
        return [{ pid: Number(name), parent: at(4), us }];
      } catch {
        // It has ended in the meantime.
        return [];
      }
    });
}

/** Of the server and of the processes that it has for its connections. On Linux only. */
export async function postgresCpu(url: string): Promise<EngineCpu> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const server = processes().find(({ pid }) => pid === rows[0].pid)?.parent;
  await client.end();
  return {
    used: async () =>
      processes()
        .filter(({ pid, parent }) => pid === server || parent === server)
        .reduce((sum, { us }) => sum + us, 0),
    close: async () => {},
  };
}

/** Of the server, which is one process. On Linux only. */
export async function mysqlCpu(url: string): Promise<EngineCpu> {
  const connection = await createConnection(url);
  const [rows] = await connection.query<RowDataPacket[]>("SELECT @@pid_file AS file");
  await connection.end();
  const server = Number(readFileSync(String(rows[0]?.file), "utf8"));
  return {
    used: async () => processes().find(({ pid }) => pid === server)?.us ?? 0,
    close: async () => {},
  };
}
