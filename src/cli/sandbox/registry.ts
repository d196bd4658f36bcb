import fs from "node:fs";
import { join } from "node:path";
import { isObject } from "../../internal/is-object.ts";
import { isLoopback } from "../../internal/loopback.ts";
import { openRunFolder, readRunFile } from "./run-folder.ts";

// Each running sandbox has a file with its address, so that commands find it. It holds no key.

/** A sandbox that runs, or was killed. */
interface Entry {
  readonly url: string;
  readonly pid: number;
}

/** The address of a sandbox, written where commands find it. */
export interface Registration {
  /** Commands find this sandbox without `--url`: no other one runs. */
  readonly isOnly: boolean;
  remove(): void;
}

/** Writes the address of this process's sandbox. Where that is not possible, commands need `--url`. */
export function registerSandbox(url: string): Registration {
  const folder = openRunFolder();
  if (folder === undefined) return { isOnly: false, remove: () => {} };
  const isOnly = readEntries(folder).length === 0;
  const path = join(folder, `${process.pid}.json`);
  const remove = () => fs.rmSync(path, { force: true });
  try {
    // A file with this name was left behind by a process that was killed.
    remove();
    const entry: Entry = { url, pid: process.pid };
    fs.writeFileSync(path, `${JSON.stringify(entry)}\n`, { flag: "wx", mode: 0o600 });
    return { isOnly, remove };
  } catch {
    return { isOnly: false, remove };
  }
}

/** The addresses that running sandboxes have written, each once. */
export function registeredUrls(): string[] {
  const folder = openRunFolder();
  if (folder === undefined) return [];
  return [...new Set(readEntries(folder).map(({ url }) => url))].sort();
}

/** The entries whose process runs. The files of others are removed. */
function readEntries(folder: string): Entry[] {
  const entries: Entry[] = [];
  for (const name of fs.readdirSync(folder)) {
    const [, pid] = /^(\d{1,10})\.json$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    if (!isRunning(Number(pid))) {
      fs.rmSync(path, { force: true });
      continue;
    }
    const url = urlIn(readRunFile(path));
    if (url !== undefined) entries.push({ url, pid: Number(pid) });
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

/** An address of this machine: commands are sent nowhere else. */
function urlIn(text: string | undefined): string | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? "");
    const url = isObject(entry) ? new URL(String(entry.url)) : undefined;
    return url?.protocol === "http:" && isLoopback(url.hostname) ? url.origin : undefined;
  } catch {
    return undefined;
  }
}
