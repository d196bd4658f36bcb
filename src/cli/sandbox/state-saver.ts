import { existsSync, realpathSync } from "node:fs";
import type { Sandbox } from "../../sandbox/index.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { writePrivateFile } from "./private-files.ts";
import { formatStateFile } from "./state-file.ts";

const MIN_PAUSE_MS = 250;
/** The pause after a save is at least this many times as long as the save took. */
const PAUSE_FACTOR = 20;

/** Writes the state of a sandbox into its file. */
export interface StateSaver {
  /** Saves after a pause, and with it every change until then. */
  saveSoon(): void;
  /** @throws {CliError} `state_not_saved` if the file cannot be written. */
  saveNow(): Promise<void>;
}

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
): StateSaver {
  // A symbolic link stays a link: the file that it leads to is replaced.
  const target = existsSync(path) ? realpathSync(path) : path;
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
    if (content !== savedContent) await writeState(target, formatStateFile(now, state));
    savedContent = content;
    pauseMs = Math.max(MIN_PAUSE_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
  }

  function saveNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    lastSave = lastSave.catch(() => {}).then(save);
    return lastSave;
  }

  const saveSoon = () => {
    timer ??= setTimeout(
      () => saveNow().catch((error: Error) => onFailure(error.message)),
      pauseMs,
    );
  };
  return { saveSoon, saveNow };
}

async function writeState(path: string, text: string): Promise<void> {
  try {
    await writePrivateFile(path, text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The state could not be saved to ${path}: ${code}.`;
    throw new CliError(EXIT.failed, "state_not_saved", message, { cause });
  }
}
