import { styleText } from "node:util";
import type { Io, TextOutput } from "./io.ts";
import { run } from "./run.ts";

/** Runs the command line in its own process. Resolves with the exit code. */
export const runProcess = (argv: readonly string[]): Promise<number> => run(argv, processIo());

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const PARENT_POLL_MS = 500;

/** What commands take from the process that runs them. */
const processIo = (): Io => ({
  // A standard stream that is not looked at is not opened.
  get stdin() {
    return process.stdin;
  },
  stdout: outputOf("stdout"),
  stderr: outputOf("stderr"),
  env: process.env,
  cwd: process.cwd(),
  onStop,
  // Without a code, the process keeps its own: an `undefined` that is passed would take it away.
  exit: (...code) => process.exit(...code),
});

const outputOf = (name: "stdout" | "stderr"): TextOutput => ({
  get isTTY() {
    return process[name].isTTY;
  },
  get columns() {
    return process[name].columns;
  },
  // Node.js knows the terminals that show colours, and NO_COLOR.
  get hasColour() {
    return styleText("bold", "x", { stream: process[name] }) !== "x";
  },
  write: (text) => process[name].write(text),
});

function onStop(listener: (signal: string) => void): () => void {
  const { ppid, env } = process;
  let timer: NodeJS.Timeout | undefined;
  const stop = (signal: string) => {
    clearInterval(timer);
    listener(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  // npm forwards Ctrl-C. But a `kill` ends only npm, and its child would keep running and hold
  // the port: under npm, the end of the parent process is a signal to stop too.
  if (env.npm_command !== undefined) {
    timer = setInterval(() => {
      if (process.ppid !== ppid) stop("the end of npm");
    }, PARENT_POLL_MS);
    // The timer must not hold up the end of a command.
    timer.unref();
  }
  return () => {
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, stop);
  };
}
