import fs from "node:fs";
import { writeWhole } from "../../internal/files/write-whole.ts";

/** Writes a file whole or not at all, readable only by its owner: it holds keys. */
export const writePrivateFile = (path: string, text: string): Promise<void> =>
  writeWhole(fs, path, text, 0o600);
