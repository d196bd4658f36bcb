import fs from "node:fs";
import { writeWhole } from "../../internal/files/write-whole.ts";
import { usageError } from "../cli-error.ts";
import { readFile } from "../input/files.ts";
import type { Ready } from "./sandbox-settings.ts";

/** Writes a file whole or not at all, readable only by its owner: it holds keys. */
export const writePrivateFile = (path: string, text: string): Promise<void> =>
  writeWhole(fs, path, text, 0o600);

async function writeFor(flag: string, path: string, text: string): Promise<void> {
  try {
    await writePrivateFile(path, text);
  } catch (error) {
    throw usageError(`${flag}: cannot write ${path}: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** A program that waits for the file finds it complete. @throws {CliError} `usage` */
export const writeReadyFile = (path: string, ready: Ready): Promise<void> =>
  writeFor("--ready-file", path, `${JSON.stringify(ready, null, 2)}\n`);

/** The lines of a `.env` file with these variables. Lines of other variables stay as they are. */
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
  path: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const before = fs.existsSync(path) ? readFile(path).toString("utf8") : "";
  await writeFor("--write", path, withVariables(before, variables));
}
