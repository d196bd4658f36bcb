import type { Readable } from "node:stream";

/** An output of a command: a terminal, a pipe or a file. */
export interface TextOutput {
  readonly isTTY?: boolean | undefined;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
  /** @default false */
  readonly hasColour?: boolean;
  write(text: string): unknown;
}

/** Everything that a command takes from its process. Only `main.ts` and `run-process.ts` know the process itself. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** The environment variables. `--env-file` adds to them. */
  readonly env: Record<string, string | undefined>;
  /** The folder that relative paths begin at. */
  readonly cwd: string;
  /**
   * Calls a function with the name of each signal to stop, such as Ctrl-C, until the function that it returns
   * is called. While there is no such function, a signal ends the process.
   */
  onStop(listener: (signal: string) => void): () => void;
  /** Ends the process at once, also if something is still going on. */
  exit(code?: number): void;
}

/** Resolves at the first signal to stop. The second signal ends the process at once. */
export const stopSignal = (io: Io): Promise<void> =>
  new Promise((resolve) => {
    const forget = io.onStop(() => {
      forget();
      resolve();
    });
  });
