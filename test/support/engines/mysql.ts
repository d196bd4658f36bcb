import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Engine, engineOf, type Recipe, say, startEngine } from "./engine.ts";
import { unprivileged } from "./postgres.ts";

const run = promisify(execFile);

// The path in Debian; it is not on the PATH of every user.
const PROGRAMS = ["mariadbd", "/usr/sbin/mariadbd"];

/**
 * A new MariaDB, with further options. Its defaults are those of a server without a file of options:
 * the character set of its databases is latin1. `undefined` if this machine has none.
 */
export function mysqlRecipe(...options: readonly string[]): Recipe | undefined {
  const program = PROGRAMS.find((one) => spawnSync(one, ["--version"]).status === 0);
  if (program === undefined) {
    say("NOT RUN: the tests that need MariaDB. Set MYSQL_URL, or put mariadbd on the PATH.");
    return undefined;
  }
  const user = unprivileged();
  return {
    name: "mysql",
    user,
    prepare: async (folder) => {
      const options = [
        "--no-defaults",
        `--datadir=${join(folder, "data")}`,
        "--auth-root-authentication-method=normal",
      ];
      // A MariaDB that starts deletes the temporary tables of others in its folder for them.
      const env = { ...process.env, TMPDIR: folder };
      await run("mariadb-install-db", options, { cwd: folder, env, ...user });
    },
    // biome-ignore format: an option a line
    command: (folder, port) => [program,
      "--no-defaults",
      `--datadir=${join(folder, "data")}`,
      `--tmpdir=${folder}`,
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      ...options,
    ],
    ready: /ready for connections/,
    crash: "SIGKILL",
    url: (port) => `mysql://root@127.0.0.1:${port}/test`,
  };
}

/**
 * The MySQL or MariaDB of `MYSQL_URL`, or a new MariaDB, with further options. `undefined` if there is
 * neither.
 */
export async function startMysql(...options: readonly string[]): Promise<Engine | undefined> {
  const given = engineOf("MYSQL_URL");
  if (given !== undefined) return given;
  const recipe = mysqlRecipe(...options);
  return recipe && startEngine(recipe);
}
