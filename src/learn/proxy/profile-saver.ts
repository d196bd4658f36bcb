import { mergeProfiles } from "../../profile/merge.ts";
import { readProfileFile, writeProfileFile } from "../profile-file.ts";
import type { Recorder } from "../recorder.ts";

const INTERVAL_MS = 5_000;

/** Writes what a recorder learns to a file, some time after each change. */
export class ProfileSaver {
  readonly #recorder: Recorder;
  readonly #path: string;
  readonly #onFailure: (message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  /** @param onFailure - Called when a save that `saveSoon` started fails. */
  constructor(recorder: Recorder, path: string, onFailure: (message: string) => void) {
    this.#recorder = recorder;
    this.#path = path;
    this.#onFailure = onFailure;
  }

  /** Saves after a pause, and with it everything that is learned until then. */
  saveSoon(): void {
    this.#timer ??= setTimeout(
      () => this.saveNow().catch((error: Error) => this.#onFailure(error.message)),
      INTERVAL_MS,
    );
  }

  /** @throws {ConfigurationError} if the file cannot be written. */
  saveNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const save = () => this.#save();
    this.#saving = this.#saving.then(save, save);
    return this.#saving;
  }

  async #save(): Promise<void> {
    const profile = this.#recorder.profile();
    // What another process has written meanwhile stays.
    const known = readProfileFile(this.#path);
    await writeProfileFile(
      this.#path,
      known === undefined ? profile : mergeProfiles(known, profile),
    );
  }
}
