/** The file system of Node, in a runtime that has it. */
export function nodeFs(): typeof import("node:fs") | undefined {
  // Looked up at run time, so that a bundler for browsers finds no import of a Node module.
  return globalThis.process?.getBuiltinModule?.("node:fs");
}

type Fs = typeof import("node:fs");

/**
 * The path of the file that is to be read or replaced: that of a regular file, or of none yet. A link keeps
 * pointing to its file. As root, a rename would replace a device, and a pipe may have no end.
 *
 * @throws the error of the file system, or one for what is not a regular file.
 */
export async function regularFile({ promises: fs }: Fs, path: string): Promise<string> {
  const isMissing = (error: { code?: unknown }) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  };
  if ((await fs.lstat(path).catch(isMissing)) === undefined) return path;
  const target = await fs.realpath(path).catch(isMissing);
  if (target === undefined) throw new Error("it is a link that leads nowhere");
  if ((await fs.stat(target)).isFile()) return target;
  throw new Error("it is not a regular file");
}

/** Why a file could not be read or written, for a message: the code of the file system, or a phrase. */
export function fileReason(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return String(code ?? message);
}

/**
 * Writes a file whole or not at all: a draft beside it, then a rename. The draft has a name that cannot
 * be guessed, and must not exist: a symbolic link that another user planted is not followed.
 *
 * @throws the error of the file system, or one for what is not a regular file. What was there is unchanged.
 */
export async function writeWhole(
  node: Fs,
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const { promises: fs } = node;
  const target = await regularFile(node, path);
  const draft = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await fs.open(draft, "wx", mode);
    try {
      // Whatever the umask of the process is.
      await file.chmod(mode);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(draft, target);
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
