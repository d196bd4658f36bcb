import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

// What the drill and the campaigns share: processes that are killed, stopped and started again.

const running = new Set<ChildProcess>();

// A process that has stopped does not notice that this one ends.
process.on("exit", () => {
  for (const child of running) signalChild(child, "SIGKILL");
});

/** The children that lead a group of processes: a signal is for all of it. */
const leaders = new WeakSet<ChildProcess>();

/** Whether a process has ended. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Sends a signal to a process, and to its group if it leads one. */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!leaders.has(child)) child.kill(signal);
  else if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group has ended already.
    }
  }
}

/** Whether something of the group lives that a child leads or has led. */
export function isGroupAlive({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** Makes sure that a child ends with this process, also one that is stopped. */
export function endWithThisProcess(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

/** Kills a process, whatever it is doing. Resolves when it has ended. */
export async function killChild(child: ChildProcess): Promise<void> {
  const ended = hasEnded(child) ? undefined : once(child, "exit");
  signalChild(child, "SIGKILL");
  await ended;
}

/**
 * Starts a command line in its own group of processes. A single command replaces the shell, so that the
 * end of the child is the end of the command.
 */
export function startCommand(command: string, options: SpawnOptions): ChildProcess {
  const isSingle = /^(?:"[^"$`\\]+"|[\w./-]+)(?:\s[^;&|<>`$()]*)?$/.test(command);
  const child = spawn(isSingle ? `exec ${command}` : command, {
    ...options,
    shell: true,
    detached: true,
  });
  leaders.add(child);
  endWithThisProcess(child);
  return child;
}

/**
 * Kills every process whose environment has a text. A process that has left the group of the command is
 * found only by it, and only on Linux.
 */
export function killStrays(mark: string): void {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)) continue;
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile, or belongs to another user.
    }
  }
}

/** Systems give connections their ports from 32,768 on: one of those could be taken before the shop has it. */
const PORTS = { first: 10_000, count: 22_000 };

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(Boolean, () => false);
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
