import { ConfigurationError } from "../errors/configuration.ts";
import { fileReason, nodeFs, writeWhole } from "../internal/files/write-whole.ts";
import { parseJson } from "../internal/json.ts";
import { encodeProfile } from "../profile/file-format.ts";
import { mergeValues } from "../profile/merge.ts";
import { formatProfile, parseProfile as parse } from "../profile/parse-profile.ts";
import type { ProfileFile, ServiceProfile } from "../profile/profile-types.ts";

function requireFs(): typeof import("node:fs") {
  const fs = nodeFs();
  if (fs !== undefined) return fs;
  throw new ConfigurationError(
    "A profile can be stored in a file only if node:fs is available. Leave `file` out, and store observer.profile() yourself.",
  );
}

/**
 * Reads the file of a profile. `undefined`: there is no such file.
 *
 * @throws {ConfigurationError} for a file that is not a profile, or of another version. The file is
 * left unchanged.
 */
export function readProfileFile(path: string): ServiceProfile | undefined {
  const fs = requireFs();
  let text: string;
  try {
    text = fs.readFileSync(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw cannot("read", path, error);
  }
  const value = parseJson(text);
  if (value === undefined) {
    throw new ConfigurationError(
      `${path} is not a service profile: it is not valid JSON. Restore the file, or make it again with \`npx malipo probe\`.`,
    );
  }
  return parse(value, path);
}

const cannot = (what: "read" | "written", path: string, error: unknown) =>
  new ConfigurationError(
    `${path} cannot be ${what} (${fileReason(error)}). Check the path and its permissions.`,
    { cause: error },
  );

/**
 * Writes a file that everybody may read, whole or not at all: nothing in it is secret.
 *
 * @throws {ConfigurationError} if it cannot be written. What was there is unchanged.
 */
export async function writePublicFile(path: string, text: string): Promise<void> {
  const fs = requireFs();
  try {
    await writeWhole(fs, path, text, 0o644);
  } catch (error) {
    throw cannot("written", path, error);
  }
}

/** Writes a profile to its file, whole or not at all. */
export const writeProfileFile = (path: string, profile: ServiceProfile): Promise<void> =>
  writePublicFile(path, formatProfile(profile));

/**
 * Makes a function that saves what is learned to its file. What another process has written meanwhile
 * stays. It saves one after the other, so that none undoes another.
 */
export function profileSaver(path: string, learned: () => ServiceProfile): () => Promise<void> {
  let saving: Promise<void> = Promise.resolve();
  const save = async () => {
    const known = readProfileFile(path);
    const now = learned();
    await writeProfileFile(path, known === undefined ? now : mergeValues(known, now));
  };
  return () => {
    saving = saving.then(save, save);
    return saving;
  };
}

/**
 * Checks that a value, such as the parsed content of `malipo.service.json`, is a profile that this
 * release can read, and returns a sorted copy. Use it before you store a profile from elsewhere.
 *
 * @throws {ConfigurationError} for what is not a profile, for another version of the format, and for a
 * file that was changed by hand and no longer fits together.
 */
export const parseProfile = (value: unknown): ProfileFile => encodeProfile(parse(value));

/**
 * What two profiles know together. The order does not matter, nor how often a profile is merged: each
 * counts by run.
 *
 * @throws {ConfigurationError} for what is not a profile.
 *
 * @example
 * ```ts
 * const all = mergeProfiles(staging, production);
 * ```
 */
export const mergeProfiles = (a: ProfileFile, b: ProfileFile): ProfileFile =>
  encodeProfile(mergeValues(parse(a), parse(b)));
