/** The file system of Node, in a runtime that has it. */
export function nodeFs(): typeof import("node:fs") | undefined {
  // Looked up at run time, so that a bundler for browsers finds no import of a Node module.
  return globalThis.process?.getBuiltinModule?.("node:fs");
}

/**
 * Writes a file whole or not at all: a draft beside it, then a rename. The draft has a name that cannot
 * be guessed, and must not exist: a symbolic link that another user planted is not followed.
 *
 * @throws the error of the file system. What was there is unchanged.
 */
export async function writeWhole(
  { promises: fs }: typeof import("node:fs"),
  path: string,
  text: string,
  mode: number,
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const file = await fs.open(draft, "wx", mode);
    try {
      // Whatever the umask of the process is.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(draft, path);
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
