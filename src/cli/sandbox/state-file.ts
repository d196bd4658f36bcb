import { existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { fileReason } from "../../internal/files/write-whole.ts";
import { parseJson } from "../../internal/json.ts";
import type { Sandbox, SandboxSnapshot } from "../../sandbox/index.ts";
import { CliError, usageError } from "../cli-error.ts";
import { writePrivateFile } from "./private-files.ts";

// A state file is one line of JSON that begins with a mark. A file without the mark is not ours: it
// is never changed.
const BEGINNING = '{"malipo":"malipo sandbox state"';
const VERSION = 1;

/**
 * Restores a sandbox from its state file. A missing or empty file restores nothing. A damaged file
 * is moved out of the way, to the path `movedTo`.
 *
 * @throws {CliError} `usage` for a file that is not a state file of this version, which is left
 *   unchanged.
 */
export function restoreState(
  sandbox: Sandbox,
  path: string,
  clock: "virtual" | "real",
): { restored: boolean; movedTo?: string } {
  const text = readStateFile(path);
  if (text === "") return { restored: false };
  if (!text.startsWith(BEGINNING)) {
    throw usageError(
      `${path} is not a sandbox state file. It was left unchanged. Move it, or use another path for --state.`,
    );
  }
  const file = parseJson(text) as { version?: unknown; now?: unknown; state?: object } | undefined;
  if (file === undefined) return { restored: false, movedTo: moveDamagedFile(path) };
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
    // A pipe may have no end.
    if (statSync(path).isFile()) return readFileSync(path, "utf8");
    throw new Error("it is not a regular file");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw usageError(
      `Cannot read the state file ${path}: ${fileReason(error)}. It was left unchanged.`,
    );
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

const MIN_PAUSE_MS = 250;
/** The pause after a save is at least this many times as long as the save took. */
const PAUSE_FACTOR = 20;

/**
 * Stores the state of a sandbox in a file. The file is written under another name and then renamed, so
 * that it is complete at any moment.
 *
 * @param onFailure - Called when a save that `saveSoon` started fails.
 */
export function createStateSaver(
  sandbox: Sandbox,
  path: string,
  clock: "virtual" | "real",
  onFailure: (message: string) => void,
) {
  let savedContent = "";
  let pauseMs = MIN_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let lastSave: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    const startedAt = performance.now();
    const { now, ...rest } = sandbox.snapshot();
    const state = JSON.stringify(rest);
    // Real time always moves. Only how far it was advanced is worth a write.
    const time = clock === "virtual" ? now : Math.round((Number(now) - Date.now()) / 1_000);
    const content = `${time} ${state}`;
    if (content !== savedContent) await writeState(path, now, state);
    savedContent = content;
    pauseMs = Math.max(MIN_PAUSE_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
  }

  /** @throws {CliError} `state_not_saved` if the file cannot be written. */
  function saveNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    lastSave = lastSave.catch(() => {}).then(save);
    return lastSave;
  }

  /** Saves after a pause, and with it every change until then. */
  const saveSoon = () => {
    timer ??= setTimeout(
      () => saveNow().catch((error: Error) => onFailure(error.message)),
      pauseMs,
    );
  };
  return { saveSoon, saveNow };
}

/** Takes the snapshot apart: `now` stands beside the other state. */
async function writeState(path: string, now: unknown, state: string): Promise<void> {
  try {
    const text = `${BEGINNING},"version":${VERSION},"now":${now},"state":${state}}\n`;
    await writePrivateFile(path, text);
  } catch (cause) {
    const message = `The state could not be saved to ${path}: ${fileReason(cause)}.`;
    throw new CliError("state_not_saved", message, { cause });
  }
}
