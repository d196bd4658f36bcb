import fs from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

const GROUP_AND_OTHERS = 0o077;

/** Windows has neither. There, the folder for temporary files belongs to the user. */
const isPrivate = ({ uid, mode }: fs.Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & GROUP_AND_OTHERS) === 0);

function folderPath(): string {
  const { XDG_RUNTIME_DIR: runtime = "" } = process.env;
  if (isAbsolute(runtime)) return join(runtime, "malipo");
  return join(tmpdir(), `malipo-${process.getuid?.() ?? "user"}`);
}

/**
 * The folder with the addresses of running sandboxes. Only this user can read or write it: a user who could
 * write there could send the commands of this user to another server. `undefined` if there is no such
 * folder, or it is not private.
 */
export function openRunFolder(): string | undefined {
  const path = folderPath();
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
export function readRunFile(path: string): string | undefined {
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
