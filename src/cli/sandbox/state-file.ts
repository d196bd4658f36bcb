import { existsSync, readFileSync, renameSync } from "node:fs";
import type { Sandbox, SandboxSnapshot } from "../../sandbox/index.ts";
import { usageError } from "../cli-error.ts";

// A state file is one line of JSON that begins with a mark. A file without the mark is not ours: it
// is never changed.
const BEGINNING = '{"malipo":"malipo sandbox state"';
const VERSION = 1;

/** The content of a state file. Takes the snapshot apart: `now` stands beside the other state. */
export const formatStateFile = (now: unknown, state: string): string =>
  `${BEGINNING},"version":${VERSION},"now":${now},"state":${state}}\n`;

export interface Restored {
  readonly restored: boolean;
  /** The new path of a damaged file. */
  readonly movedTo?: string;
}

/**
 * Restores a sandbox from its state file. A missing or empty file restores nothing. A damaged file
 * is moved out of the way.
 *
 * @throws {CliError} `usage` for a file that is not a state file of this version, which is left
 *   unchanged.
 */
export function restoreState(sandbox: Sandbox, path: string, clock: "virtual" | "real"): Restored {
  const text = readStateFile(path);
  if (text === "") return { restored: false };
  if (!text.startsWith(BEGINNING)) {
    throw usageError(
      `${path} is not a sandbox state file. It was left unchanged. Move it, or use another path for --state.`,
    );
  }
  let file: { version?: unknown; now?: unknown; state?: object };
  try {
    file = JSON.parse(text);
  } catch {
    return { restored: false, movedTo: moveDamagedFile(path) };
  }
  if (file.version !== VERSION) {
    throw usageError(
      `${path} was written by a later version of malipo. It was left unchanged. Update malipo.`,
    );
  }
  // Real time went on while the sandbox was stopped: what was due meanwhile happens now.
  const now = clock === "real" ? Math.max(Number(file.now), Date.now()) : file.now;
  try {
    sandbox.restore({ ...file.state, now } as unknown as SandboxSnapshot);
    return { restored: true };
  } catch {
    return { restored: false, movedTo: moveDamagedFile(path) };
  }
}

function readStateFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw usageError(`Cannot read the state file ${path}: ${code}. It was left unchanged.`);
  }
}

/** Renames a damaged file to a name that no other file has. */
function moveDamagedFile(path: string): string {
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  const base = `${path}.damaged-${time}`;
  let target = base;
  for (let next = 2; existsSync(target); next++) target = `${base}-${next}`;
  renameSync(path, target);
  return target;
}
