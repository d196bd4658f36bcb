import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, statfsSync } from "node:fs";
import { chmod, chown, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../src/drill/child.ts";

/** A Redis, a PostgreSQL or a MariaDB, on loopback. */
export interface Engine {
  readonly url: string;
  /** Whether `restart` works. It does not for an engine that others use too. */
  readonly restarts: boolean;
  /** Stops the engine and deletes its data. Does nothing to an engine that others use too. */
  stop(): Promise<void>;
  /** Crashes the engine and starts it again, on the same port and data. */
  restart(): Promise<void>;
  /** Pauses every process of the engine: its connections stay, and nothing answers. */
  hang(): void;
  /** Lets the processes of the engine go on. */
  resume(): void;
}

/** How to run an engine that needs only a folder and a port. */
export interface Recipe {
  readonly name: string;
  /** The user that runs it. Default: the current user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Prepares the empty folder. */
  prepare?(folder: string): Promise<void>;
  command(folder: string, port: number): readonly [file: string, ...args: string[]];
  /** What it prints when it accepts connections. */
  readonly ready: RegExp;
  /** The signal that ends it as a crash would. */
  readonly crash: NodeJS.Signals;
  url(port: number): string;
}

export function say(line: string): void {
  process.stderr.write(`\n*** ${line}\n`);
}

/** An engine that others use too: that of a person, or that of all test files. */
export const givenEngine = (url: string): Engine => ({
  url,
  restarts: false,
  stop: async () => {},
  restart: () => Promise.reject(new Error(`Others use ${url} too: it cannot be restarted here.`)),
  hang: () => {},
  resume: () => {},
});

/** The engine whose address a person gave, as `REDIS_URL`, `DATABASE_URL` or `MYSQL_URL`. */
export function engineOf(variable: "REDIS_URL" | "DATABASE_URL" | "MYSQL_URL"): Engine | undefined {
  const url = process.env[variable];
  if (!url) return undefined;
  say(`NOT RUN: the tests that restart an engine or change its settings. ${variable} is set.`);
  return givenEngine(url);
}

const READY_MS = 120_000;
const START_TRIES = 3;
/** How long an engine may take to end after its signal. It is killed then, which is a crash as well. */
const END_MS = 10_000;

/** Starts a process, and waits until it is ready. */
async function launch({ name, user, command, ready, crash }: Recipe, folder: string, port: number) {
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const [file, ...args] = command(folder, port);
  const server = spawn(file, args, { stdio: ["ignore", output, output], cwd: folder, ...user });
  closeSync(output);
  const { pid } = server;
  const ended = once(server, "exit").catch(() => {});
  if (pid === undefined) throw new Error(`${file} did not start.`);
  // Stops the engine when this process ends in any way: only then the input of this script closes.
  const script = `cat > /dev/null; kill -${crash.slice(3)} $0; sleep 1; kill -KILL $0; rm -rf "$1"`;
  const guard = spawn("sh", ["-c", script, `${pid}`, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  guard.unref();
  server.unref();
  const end = async (signal: NodeJS.Signals) => {
    guard.kill("SIGKILL");
    server.kill(signal);
    server.ref();
    // A signal that comes while libfaketime reads its file may leave the process, or a child, in a lock for ever.
    const late = setTimeout(() => {
      if (server.exitCode === null && server.signalCode === null) signalTree(pid, "SIGKILL");
    }, END_MS);
    await ended;
    clearTimeout(late);
  };
  for (const deadline = Date.now() + READY_MS; !ready.test(readFileSync(log, "utf8")); ) {
    if (server.exitCode !== null || server.signalCode !== null || Date.now() > deadline) {
      await end("SIGKILL");
      throw new Error(`${name} did not start:\n${readFileSync(log, "utf8")}`);
    }
    await sleep(20);
  }
  return { pid, end };
}

/** Sends a signal to those that a process has started, and to it. */
function signalTree(pid: number, signal: NodeJS.Signals): void {
  // It starts no other one meanwhile.
  process.kill(pid, "SIGSTOP");
  const { stdout } = spawnSync("pgrep", ["-P", `${pid}`], { encoding: "utf8", timeout: END_MS });
  // A machine without `pgrep` has no output.
  for (const child of (stdout ?? "").split("\n").filter(Boolean)) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // It has ended in the meantime.
    }
  }
  process.kill(pid, signal);
}

/** What the data of all engines of a run need at most. */
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Where engines keep their data: in memory, if there is room. An engine that is killed finds its data again there as on
 * a disk, and each commit waits for the disk otherwise.
 */
function dataRoom(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > ROOM_BYTES ? memory : tmpdir();
}

/** Starts an engine. It ends with this process at the latest. */
export async function startEngine(recipe: Recipe): Promise<Engine> {
  const folder = mkdtempSync(join(dataRoom(), `malipo-${recipe.name}-`));
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    if (recipe.user !== undefined) {
      await chmod(folder, 0o700);
      await chown(folder, recipe.user.uid, recipe.user.gid);
    }
    await recipe.prepare?.(folder);
    for (let tries = 1; ; tries++) {
      // Another process may take the port before the engine does.
      const port = await freePort();
      try {
        let server = await launch(recipe, folder, port);
        return {
          url: recipe.url(port),
          restarts: true,
          stop: async () => {
            await server.end(recipe.crash);
            await drop();
          },
          restart: async () => {
            await server.end(recipe.crash);
            server = await launch(recipe, folder, port);
          },
          hang: () => signalTree(server.pid, "SIGSTOP"),
          resume: () => signalTree(server.pid, "SIGCONT"),
        };
      } catch (error) {
        if (tries === START_TRIES) throw error;
      }
    }
  } catch (error) {
    await drop();
    throw error;
  }
}
