import { rmSync } from "node:fs";
import { usageError } from "../cli-error.ts";
import { writePrivateFile } from "./write-private-file.ts";

/** A sandbox that is ready: what the banner, `--json` and the ready file say. */
export interface Ready {
  readonly url: string;
  readonly base_url: string;
  readonly page: string;
  readonly keys: { readonly public: string; readonly secret: string; readonly sandbox: string };
  readonly webhook_secret: string;
  readonly clock: "virtual" | "real";
  readonly auto: "approve" | "none" | "magic";
  readonly webhook: string | null;
  readonly state: string | null;
  /** The file of the profile that it speaks by. */
  readonly profile: string | null;
  readonly restored: boolean;
  /** Keys, secret and references are new: no earlier run had them. */
  readonly is_new: boolean;
  readonly pid: number;
}

/** Who waits for the file finds it complete. */
export async function writeReadyFile(path: string, ready: Ready): Promise<void> {
  try {
    await writePrivateFile(path, `${JSON.stringify(ready, null, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`--ready-file: cannot write ${path}: ${code}.`);
  }
}

export const removeReadyFile = (path: string): void => rmSync(path, { force: true });
