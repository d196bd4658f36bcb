import { existsSync, realpathSync } from "node:fs";
import type { Sandbox } from "../../sandbox/index.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { writePrivateFile } from "./private-files.ts";
import { formatStateFile } from "./state-file.ts";

const MIN_PAUSE_MS = 250;
/** The pause after a save is at least this many times as long as the save took. */
const PAUSE_FACTOR = 20;

/**
 * Keeps the state of a sandbox in a file. The file is written under another name and then renamed,
 * so that it is complete at any moment.
 */
export class StateSaver {
  readonly #sandbox: Sandbox;
  readonly #path: string;
  readonly #clock: "virtual" | "real";
  readonly #onFailure: (message: string) => void;
  #savedContent = "";
  #pauseMs: number = MIN_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #lastSave: Promise<void> = Promise.resolve();

  /** @param onFailure - Called when a save that `saveSoon` started fails. */
  constructor(
    sandbox: Sandbox,
    path: string,
    clock: "virtual" | "real",
    onFailure: (message: string) => void,
  ) {
    this.#sandbox = sandbox;
    // A symbolic link stays a link: the file that it leads to is replaced.
    this.#path = existsSync(path) ? realpathSync(path) : path;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Saves after a pause, and with it every change until then. */
  saveSoon(): void {
    this.#timer ??= setTimeout(
      () => this.saveNow().catch((error: Error) => this.#onFailure(error.message)),
      this.#pauseMs,
    );
  }

  /** @throws {CliError} `state_not_saved` if the file cannot be written. */
  saveNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastSave = this.#lastSave.catch(() => {}).then(() => this.#saveTimed());
    return this.#lastSave;
  }

  async #saveTimed(): Promise<void> {
    const startedAt = performance.now();
    await this.#save();
    this.#pauseMs = Math.max(MIN_PAUSE_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
  }

  async #save(): Promise<void> {
    const { now, ...rest } = this.#sandbox.snapshot();
    const state = JSON.stringify(rest);
    // Real time always moves. Only how far it was advanced is worth a write.
    const time = this.#clock === "virtual" ? now : Math.round((Number(now) - Date.now()) / 1_000);
    const content = `${time} ${state}`;
    if (content === this.#savedContent) return;
    await this.#write(formatStateFile(now, state));
    this.#savedContent = content;
  }

  async #write(text: string): Promise<void> {
    try {
      await writePrivateFile(this.#path, text);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const message = `The state could not be saved to ${this.#path}: ${code}.`;
      throw new CliError(EXIT.failed, "state_not_saved", message, { cause });
    }
  }
}
