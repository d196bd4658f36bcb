import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { usageError } from "../cli-error.ts";
import type { Io } from "../io.ts";

/** The path of a file that a user named: relative ones begin at the folder of the command. */
export const pathOf = ({ cwd }: Io, path: string): string => resolve(cwd, path);

/** The bytes of a file, or of standard input if the path is `-` or missing. They are not decoded. */
export async function readBytes(io: Io, path: string | undefined): Promise<Buffer> {
  if (path !== undefined && path !== "-") return readFile(io, path);
  if (io.stdin.isTTY) {
    throw usageError("The body is missing. Name a file, or pipe the body in: ... - < body.json");
  }
  return buffer(io.stdin);
}

export function readFile(io: Io, path: string): Buffer {
  try {
    return readFileSync(pathOf(io, path));
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw usageError(`Cannot read ${path}: ${REASONS[code] ?? code}.`);
  }
}

/** A key or a secret: the file holds nothing else. @throws {CliError} `usage` if it is empty. */
export function readSecret(io: Io, path: string): string {
  // An editor ends a file with a line break, which is not part of it.
  const secret = readFile(io, path)
    .toString()
    .replace(/\r?\n$/, "");
  if (secret === "") throw usageError(`The file ${path} is empty.`);
  return secret;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};
