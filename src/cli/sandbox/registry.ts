import fs from "node:fs";
import { join } from "node:path";
import { isObject } from "../../internal/is-object.ts";
import { isLoopback } from "../../internal/loopback.ts";
import { openRunFolder, readRunFile } from "./run-folder.ts";

// Each running sandbox has a file with its address, so that commands find it. It holds no key.

/** A sandbox that runs, or was killed. */
export interface RegisteredSandbox {
  readonly url: string;
  /** The folder in which it was started. */
  readonly folder: string;
}

/** The address of a sandbox, written into a file that commands find. */
export interface Registration {
  /** Commands that are run in the same folder find this sandbox without `--url`. */
  readonly isFound: boolean;
  /** Commands find it in no folder: the address could not be written. */
  readonly hasFailed?: true;
  remove(): void;
}

/** Writes the address of this process's sandbox. If that is not possible, commands need `--url`. */
export function registerSandbox(url: string): Registration {
  const folder = openRunFolder();
  if (folder === undefined) return { isFound: false, hasFailed: true, remove: () => {} };
  const entry: RegisteredSandbox = { url, folder: process.cwd() };
  const isFound = readEntries(folder).every((other) => other.folder !== entry.folder);
  const path = join(folder, `${process.pid}.json`);
  const remove = () => fs.rmSync(path, { force: true });
  try {
    // A file with this name was left behind by a process that was killed.
    remove();
    fs.writeFileSync(path, `${JSON.stringify(entry)}\n`, { flag: "wx", mode: 0o600 });
    return { isFound, remove };
  } catch {
    return { isFound: false, hasFailed: true, remove };
  }
}

/** What running sandboxes have written, each address once. */
export function registeredSandboxes(): RegisteredSandbox[] {
  const folder = openRunFolder();
  if (folder === undefined) return [];
  const byUrl = new Map(readEntries(folder).map((entry) => [entry.url, entry]));
  return [...byUrl.values()].sort((a, b) => a.url.localeCompare(b.url));
}

/** The entries whose process runs. The files of others are removed. */
function readEntries(folder: string): RegisteredSandbox[] {
  const entries: RegisteredSandbox[] = [];
  for (const name of fs.readdirSync(folder)) {
    const [, pid] = /^(\d{1,10})\.json$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    if (!isRunning(Number(pid))) {
      fs.rmSync(path, { force: true });
      continue;
    }
    const entry = entryIn(readRunFile(path));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Only an address of this machine: commands are sent nowhere else. */
function entryIn(text: string | undefined): RegisteredSandbox | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? "");
    if (!isObject(entry)) return undefined;
    const { protocol, hostname, origin } = new URL(String(entry.url));
    if (protocol !== "http:" || !isLoopback(hostname)) return undefined;
    return { url: origin, folder: String(entry.folder) };
  } catch {
    return undefined;
  }
}
