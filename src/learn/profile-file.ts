import { ConfigurationError } from "../errors/configuration.ts";
import { formatProfile, parseProfile } from "../profile/parse.ts";
import type { ServiceProfile } from "../profile/types.ts";

/** Loaded when a file is named, so that an observer without a file runs everywhere. */
function nodeFs(): typeof import("node:fs") {
  const fs = globalThis.process?.getBuiltinModule?.("node:fs");
  if (fs !== undefined) return fs;
  throw new ConfigurationError(
    "A profile can be kept in a file only where node:fs is. Leave `file` out, and store observer.profile() yourself.",
  );
}

/**
 * Reads the file of a profile. `undefined`: there is no such file.
 *
 * @throws {ConfigurationError} for a file that is not a profile, or of another version. The file is
 * left unchanged.
 */
export function readProfileFile(path: string): ServiceProfile | undefined {
  let text: string;
  try {
    text = nodeFs().readFileSync(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error instanceof ConfigurationError ? error : cannot("read", path, error);
  }
  return parseProfile(parseJson(text, path), path);
}

const cannot = (what: string, path: string, error: unknown) => {
  const { code } = Object(error) as { code?: unknown };
  return new ConfigurationError(
    `${path} cannot be ${what === "read" ? "read" : "written"} (${String(code)}). Check the path and its permissions.`,
    { cause: error },
  );
};

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(
      `${path} is not a service profile: it is not valid JSON. Restore the file, or make it again with \`npx malipo probe\`.`,
    );
  }
}

/**
 * Writes a file whole or not at all: a draft with a name of its own beside it, then a rename. Its mode
 * is 0644, since nothing in it is secret.
 *
 * @throws {ConfigurationError} where it cannot be written. What was there is unchanged.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const { promises: fs } = nodeFs();
  // A link keeps pointing to the file.
  const target = await fs.realpath(path).catch(() => path);
  const draft = `${target}.${crypto.randomUUID().slice(0, 8)}.draft`;
  try {
    const file = await fs.open(draft, "wx", 0o644);
    try {
      await file.chmod(0o644);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(draft, target);
  } catch (error) {
    await fs.rm(draft, { force: true }).catch(() => {});
    throw cannot("write", path, error);
  }
}

/** Writes a profile to its file, whole or not at all. */
export const writeProfileFile = (path: string, profile: ServiceProfile): Promise<void> =>
  writeWhole(path, formatProfile(profile));
