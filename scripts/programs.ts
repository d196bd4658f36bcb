// The programs that some tests start. On a machine without one of them, all other tests run.
import { spawnSync } from "node:child_process";
import { markdownTable } from "./markdown-table.ts";

interface Program {
  readonly name: string;
  /** What does not run without it. */
  readonly tests: string;
  /** Its packages in Debian. */
  readonly packages: string;
  /** A command of the shell that fails if it is missing. Default: the shell finds a program of this name. */
  readonly probe?: string;
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "chromium",
    tests: "pages in a browser",
    packages: "chromium",
    probe: "command -v chromium-headless-shell || command -v chromium",
  },
  {
    name: "redis-server",
    tests: "Redis and BullMQ, unless `REDIS_URL` names a Redis",
    packages: "redis-server",
  },
  {
    name: "mariadbd",
    tests: "MySQL and MariaDB, unless `MYSQL_URL` names a server",
    packages: "mariadb-server",
    probe: "command -v mariadbd || command -v /usr/sbin/mariadbd",
  },
  {
    name: "pgbouncer",
    tests: "PostgreSQL behind PgBouncer",
    packages: "pgbouncer",
    probe: "command -v pgbouncer || command -v /usr/sbin/pgbouncer",
  },
  { name: "faketime", tests: "servers whose clock is wrong", packages: "faketime" },
  { name: "zsh", tests: "the completion of zsh", packages: "zsh" },
  { name: "fish", tests: "the completion of fish", packages: "fish" },
  {
    name: "php",
    tests: "the receiver in PHP",
    packages: "php-cli php-sqlite3",
    probe: `php -r 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);'`,
  },
  {
    name: "python3",
    tests: "the receiver and the drill in Python",
    packages: "python3",
    probe: "python3 -c 'import sqlite3'",
  },
  { name: "curl", tests: "the example in a shell", packages: "curl" },
  {
    name: "openssl",
    tests: "the example in a shell, and Redis over TLS",
    packages: "openssl",
  },
];

const isMissing = ({ name, probe = `command -v ${name}` }: Program): boolean =>
  spawnSync("sh", ["-c", probe], { stdio: "ignore" }).status !== 0;

/** What does not run on this machine, and what to install. Empty if nothing is missing. */
export function whatIsMissing(): string {
  const missing = PROGRAMS.filter(isMissing);
  if (missing.length === 0) return "";
  const rows = missing.map(({ name, tests, packages }) => [name, tests, packages]);
  return [
    `NOT RUN: the tests of ${missing.length} programs that this machine does not have.`,
    markdownTable(["program", "without it, these tests do not run", "package"], rows),
    `Install them: apt-get install ${missing.map(({ packages }) => packages).join(" ")}`,
  ].join("\n");
}
