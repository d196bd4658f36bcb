import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, say, startEngine } from "./engine.ts";
import { unprivileged } from "./postgres.ts";

// The path in Debian; it is not on the PATH of every user.
const PROGRAMS = ["pgbouncer", "/usr/sbin/pgbouncer"];

const configuration = (database: URL, port: number) => `
[databases]
postgres = host=${database.hostname} port=${database.port} dbname=${database.pathname.slice(1)} user=${database.username} password=${database.password || "none"}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 15
`;

/**
 * A PgBouncer in transaction mode, which assigns each transaction another connection to the PostgreSQL.
 * `undefined` if this machine cannot start one.
 */
export async function startPgBouncer(postgres: Engine): Promise<Engine | undefined> {
  const program = PROGRAMS.find((one) => spawnSync(one, ["--version"]).status === 0);
  if (program === undefined) {
    say("NOT RUN: the tests that need PgBouncer. Put pgbouncer on the PATH.");
    return undefined;
  }
  return startEngine({
    name: "pgbouncer",
    user: unprivileged(),
    command: (folder, port) => {
      const file = join(folder, "pgbouncer.ini");
      writeFileSync(file, configuration(new URL(postgres.url), port));
      return [program, file];
    },
    ready: /process up/,
    crash: "SIGKILL",
    url: (port) => `postgres://malipo@127.0.0.1:${port}/postgres`,
  });
}
