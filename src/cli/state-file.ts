import { existsSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import type { Sandbox, SandboxSnapshot } from "../sandbox/index.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure, usage } from "./failure.ts";

/** What every state file begins with: what does not, is not ours to touch. */
const MARK = "malipo sandbox state";
const BEGINNING = `{"malipo":"${MARK}"`;

/** What became of a state file at the start. */
export interface Restored {
  readonly restored: boolean;
  /** Where a damaged file was put. */
  readonly aside?: string;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    throw usage(`The state file ${path} cannot be read: ${code}. It was left as it is.`);
  }
}

/** Puts a damaged file where nothing overwrites it. */
function putAside(path: string): string {
  const when = new Date().toISOString().replace(/[:.]/g, "-");
  let aside = `${path}.damaged-${when}`;
  for (let next = 2; existsSync(aside); next++) aside = `${path}.damaged-${when}-${next}`;
  renameSync(path, aside);
  return aside;
}

/**
 * Takes a sandbox back to what its state file holds. A file that is ours but damaged is put aside;
 * one that is not ours is refused, and left as it is.
 */
export function restoreState(sandbox: Sandbox, path: string, clock: "virtual" | "real"): Restored {
  const text = textOf(path);
  if (text === "") return { restored: false };
  if (!text.startsWith(BEGINNING)) {
    throw usage(
      `${path} is no state file of a sandbox. It was left as it is: move it away, or name another.`,
    );
  }
  let file: { version?: unknown; now?: unknown; state?: object };
  try {
    file = JSON.parse(text);
  } catch {
    return { restored: false, aside: putAside(path) };
  }
  if (file.version !== 1) {
    throw usage(`${path} is of a later version of malipo. It was left as it is: update malipo.`);
  }
  // Real time went on while nobody ran: what fell due meanwhile happens now.
  const now = clock === "real" ? Math.max(Number(file.now), Date.now()) : file.now;
  try {
    sandbox.restore({ ...file.state, now } as unknown as SandboxSnapshot);
    return { restored: true };
  } catch {
    return { restored: false, aside: putAside(path) };
  }
}

const LEAST_PAUSE_MS = 250;
/** Saving takes no more than one part in so many of the time. */
const SHARE = 20;

export interface StateSaver {
  /** Saves soon, many changes at once. */
  soon(): void;
  /** Saves now. */
  now(): Promise<void>;
}

/**
 * Keeps a sandbox in a file: written beside it and moved into its place, so that it is whole at any
 * moment.
 */
export function createStateSaver(
  sandbox: Sandbox,
  given: string,
  clock: "virtual" | "real",
  onFailure: (message: string) => void,
): StateSaver {
  const path = existsSync(given) ? realpathSync(given) : given;
  let saved = "";
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let pauseMs = LEAST_PAUSE_MS;

  async function save(): Promise<void> {
    const { now, ...state } = sandbox.snapshot();
    const body = JSON.stringify(state);
    // Real time runs by itself: only how far it was moved is worth a write.
    const time = clock === "virtual" ? now : Math.round((Number(now) - Date.now()) / 1_000);
    const content = `${time} ${body}`;
    if (content === saved) return;
    const text = `${BEGINNING},"version":1,"now":${now},"state":${body}}\n`;
    const draft = `${path}.tmp`;
    try {
      // The keys are in it: for its owner alone.
      await writeFile(draft, text, { mode: 0o600, flush: true });
      await rename(draft, path);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const message = `The state could not be saved to ${path}: ${code}.`;
      throw new Failure(EXIT.failed, "state_not_saved", message, { cause });
    }
    saved = content;
  }

  function now(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = running
      .catch(() => {})
      .then(async () => {
        const started = performance.now();
        await save();
        pauseMs = Math.max(LEAST_PAUSE_MS, (performance.now() - started) * SHARE);
      });
    return running;
  }

  return {
    now,
    soon: () => {
      timer ??= setTimeout(() => now().catch((error) => onFailure(error.message)), pauseMs);
    },
  };
}
