import fs from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isObject } from "../../internal/is-object.ts";
import { parseJson } from "../../internal/json.ts";
import { isLoopback } from "../../internal/urls.ts";
import type { Io } from "../io.ts";

// Each running sandbox has a file with its address, so that commands find it. It holds no key.

/** A sandbox that runs, or was killed. */
export interface RegisteredSandbox {
  readonly url: string;
  /** The folder in which it was started. */
  readonly folder: string;
}

/**
 * Writes the address of a sandbox of this process into a file. `isFound`: commands that are run in the same
 * folder find this sandbox without `--url`. Returns `undefined` if the file could not be written, and no
 * command finds it.
 */
export function registerSandbox(io: Io, url: string) {
  const folder = openRunFolder(io);
  if (folder === undefined) return undefined;
  const entry: RegisteredSandbox = { url, folder: io.cwd };
  const isFound = readEntries(folder).every((other) => other.folder !== entry.folder);
  const path = join(folder, `${process.pid}-${new URL(url).port}.json`);
  const remove = () => fs.rmSync(path, { force: true });
  try {
    // A file with this name was left behind by a process that was killed.
    remove();
    fs.writeFileSync(path, `${JSON.stringify(entry)}\n`, { flag: "wx", mode: 0o600 });
    return { isFound, remove };
  } catch {
    return undefined;
  }
}

/** What running sandboxes have written, each address once. */
export function registeredSandboxes(io: Io): RegisteredSandbox[] {
  const folder = openRunFolder(io);
  if (folder === undefined) return [];
  const byUrl = new Map(readEntries(folder).map((entry) => [entry.url, entry]));
  return [...byUrl.values()].sort((a, b) => a.url.localeCompare(b.url));
}

/** The entries whose process runs. The files of others are removed. */
function readEntries(folder: string): RegisteredSandbox[] {
  const entries: RegisteredSandbox[] = [];
  for (const name of fs.readdirSync(folder)) {
    const [, pid] = /^(\d{1,10})-\d{1,5}\.json$/.exec(name) ?? [];
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
function entryIn(text = ""): RegisteredSandbox | undefined {
  const entry = parseJson(text);
  if (!isObject(entry) || !URL.canParse(String(entry.url))) return undefined;
  const { protocol, hostname, origin } = new URL(String(entry.url));
  if (protocol !== "http:" || !isLoopback(hostname)) return undefined;
  return { url: origin, folder: String(entry.folder) };
}

const GROUP_AND_OTHERS = 0o077;

/** Windows has neither. There, the folder for temporary files belongs to the user. */
const isPrivate = ({ uid, mode }: fs.Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & GROUP_AND_OTHERS) === 0);

function folderPath({ env }: Io): string {
  const { XDG_RUNTIME_DIR: runtime = "" } = env;
  if (isAbsolute(runtime)) return join(runtime, "malipo");
  return join(tmpdir(), `malipo-${process.getuid?.() ?? "user"}`);
}

/**
 * The folder with the addresses of running sandboxes. Only this user can read or write it: a user who could
 * write there could send the commands of this user to another server. `undefined` if it does not
 * exist or is not private.
 */
export function openRunFolder(io: Io): string | undefined {
  const path = folderPath(io);
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
  }
  // Not `stat`: a symbolic link of another user must not be followed.
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() && isPrivate(stats) ? path : undefined;
}

const MAX_BYTES = 4_096;
// Windows has no such flag: there, only an administrator can make a symbolic link.
const { O_RDONLY, O_NOFOLLOW = 0 } = fs.constants;

/** The content of a file of the folder; `undefined` for one that is not ours. */
function readRunFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW);
    const stats = fs.fstatSync(file);
    const isOurs = stats.isFile() && stats.size <= MAX_BYTES && isPrivate(stats);
    return isOurs ? fs.readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}
