import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import {
  CLEAN_ENV,
  type Exit,
  type Sandbox,
  type Surroundings,
  sandboxOf,
} from "./command-line.ts";

// The command line in the process of the test, from the source. What a process of its own does is tried in
// `installed`.

/** A command while it runs. */
export interface Started {
  /** What it has printed so far, on both outputs. */
  readonly output: () => string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends it a signal. Resolves with the exit code. */
  stop(signal?: string): Promise<number>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  /** Resolves when it has printed a text that matches. Rejects if it ends before. */
  prints(what: RegExp): Promise<void>;
}

/** Starts a command and does not wait. @param own - What it takes in the place of what a test usually gives. */
export function startCommand(
  args: readonly string[],
  surroundings: Surroundings = {},
  own: Partial<Io> = {},
): Started {
  const { input = "", env = {}, cwd = process.cwd() } = surroundings;
  const signals = new EventEmitter();
  const printed = new EventEmitter();
  const texts = { stdout: "", stderr: "", both: "" };
  const outputOf = (name: "stdout" | "stderr") => ({
    hasColour: env.FORCE_COLOR !== undefined,
    write: (text: string) => {
      texts[name] += text;
      texts.both += text;
      printed.emit("text");
    },
  });
  const io: Io = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: outputOf("stdout"),
    stderr: outputOf("stderr"),
    env: { ...CLEAN_ENV, ...env },
    cwd,
    onStop: (listener) => {
      signals.on("signal", listener);
      return () => signals.off("signal", listener);
    },
    exit: () => {},
    ...own,
  };
  const ended = run(args, io);
  return {
    output: () => texts.both,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    stop: (signal = "SIGTERM") => {
      signals.emit("signal", signal);
      return ended;
    },
    prints: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (what.test(texts.both)) resolve();
        };
        printed.on("text", look);
        look();
        ended.then((code) => reject(new Error(`exit ${code}: ${texts.both}`)), reject);
      }),
  };
}

/** Runs `malipo` and waits until it ends. */
export async function malipo(args: readonly string[], surroundings?: Surroundings): Promise<Exit> {
  const { ended, stdout, stderr } = startCommand(args, surroundings);
  const code = await ended;
  return { code, stdout: stdout(), stderr: stderr(), json: () => JSON.parse(stdout()) };
}

/** `malipo sandbox` while it runs. */
export interface Running extends Sandbox {
  readonly stderr: () => string;
  /** Resolves with the exit code. */
  stop(signal?: string): Promise<number>;
}

export async function startSandbox(
  args: readonly string[] = [],
  surroundings?: Surroundings,
): Promise<Running> {
  const { prints, stdout, stderr, stop } = startCommand(
    ["sandbox", "--port", "0", "--json", ...args],
    surroundings,
  );
  await prints(/^\{.*\}\n/m);
  return { ...sandboxOf(JSON.parse(stdout())), stderr, stop };
}
