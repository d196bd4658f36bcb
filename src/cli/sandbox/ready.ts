import { renameSync, rmSync, writeFileSync } from "node:fs";
import { usageError } from "../cli-error.ts";

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
  readonly pid: number;
}

/** Writes the ready file under another name first: who waits for it finds it complete. */
export function writeReadyFile(path: string, ready: Ready): void {
  const draft = `${path}.tmp`;
  try {
    // It contains the keys: only its owner may read it.
    writeFileSync(draft, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`--ready-file: cannot write ${path}: ${code}.`);
  }
}

export const removeReadyFile = (path: string): void => rmSync(path, { force: true });
