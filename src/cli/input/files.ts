import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { usage } from "../failure.ts";

/** Bytes of a file, or of the standard input for `-` and for no name at all. Never decoded. */
export async function readBytes(path: string | undefined): Promise<Buffer> {
  if (path !== undefined && path !== "-") return readFile(path);
  if (process.stdin.isTTY) {
    throw usage("No body. Name a file, or send one in: malipo … - < body.json");
  }
  return buffer(process.stdin);
}

export function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usage(`${path} cannot be read: ${WHY[code ?? ""] ?? code}.`);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
};
