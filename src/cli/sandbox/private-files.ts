import fs from "node:fs";
import { fileReason, regularFile, writeWhole } from "../../internal/files/write-whole.ts";
import { CliError, usageError } from "../cli-error.ts";
import { pathOf, readFile } from "../input/files.ts";
import type { Io } from "../io.ts";
import type { Ready } from "./sandbox-settings.ts";

/** Writes a file whole or not at all, readable only by its owner: it holds keys. */
export const writePrivateFile = (path: string, content: string | Uint8Array): Promise<void> =>
  writeWhole(fs, path, content, 0o600);

async function writeFor(flag: string, path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`${flag}: cannot write ${path}: ${fileReason(error)}.`);
  }
}

/** A program that waits for the file finds it complete. @throws {CliError} `usage` */
export const writeReadyFile = (io: Io, path: string, ready: Ready): Promise<void> =>
  writeFor("--ready-file", path, () =>
    writePrivateFile(pathOf(io, path), `${JSON.stringify(ready, null, 2)}\n`),
  );

/** Removes the file, also one of a sandbox that was killed. What is not a regular file is no such file. */
export async function removeReadyFile(io: Io, named: string): Promise<void> {
  const path = pathOf(io, named);
  const target = await regularFile(fs, path).catch(() => undefined);
  for (const one of target === undefined ? [] : [target, path]) fs.rmSync(one, { force: true });
}

/** The lines of a `.env` file with these variables, all in Latin-1. Lines of other variables stay as they are. */
function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const isOurs = (line: string) => {
    const [, name = ""] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line) ?? [];
    return Object.hasOwn(variables, name);
  };
  const others = text.replace(/\n$/, "").split("\n");
  const lines = [
    ...(text === "" ? [] : others.filter((line) => !isOurs(line))),
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Writes variables into a `.env` file, whole or not at all: an error leaves the file as it was.
 *
 * @throws {CliError} `usage` if the file cannot be read or written.
 */
export async function writeEnvFile(
  io: Io,
  path: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  await writeFor("--write", path, async () => {
    const target = await regularFile(fs, pathOf(io, path));
    // Latin-1 has a character for each byte: the other lines may be in any encoding.
    const before = fs.existsSync(target) ? readFile(io, target).toString("latin1") : "";
    await writePrivateFile(target, Buffer.from(withVariables(before, variables), "latin1"));
  });
}
