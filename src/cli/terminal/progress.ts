import { span } from "../../internal/span.ts";
import type { TextOutput } from "../io.ts";
import { clearLine, printable, write } from "./output.ts";

/** Shorter work shows nothing. */
const FIRST_MS = 2_000;
/** How often the line is written again on a terminal, and how often a new line is printed elsewhere. */
const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 60_000;
/** Before this, how long the rest takes is a guess. */
const MIN_SHARE = 0.02;
const BAR_WIDTH = 20;
const DEFAULT_COLUMNS = 80;

/** Where the progress is shown: standard error, so that standard output stays clean. */
export type ProgressOutput = Pick<TextOutput, "isTTY" | "columns" | "write">;

export interface ProgressOptions {
  /** Describes how far the work is now: `12 of 40 events`. */
  readonly line: () => string;
  /** The share of the work that is done, from 0 to 1: from it come the bar, and how long the rest takes. */
  readonly share?: () => number;
  /** Shows nothing but notes: with `--json`, a program reads the output. */
  readonly isHidden?: boolean;
  readonly output: ProgressOutput;
}

/** Shows how far a command is: a line that is written again on a terminal, a line a minute elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #output: ProgressOutput;
  readonly #started = performance.now();
  #shown = performance.now();

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#output = options.output;
  }

  /** How often there is something to show. */
  get intervalMs(): number {
    return this.#output.isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  }

  /** Shows the progress, unless it was shown a moment ago. */
  update(): void {
    const now = performance.now();
    const elapsedMs = now - this.#started;
    const isEarly = elapsedMs < FIRST_MS || now - this.#shown < this.intervalMs;
    if (this.#options.isHidden || isEarly) return;
    this.#shown = now;
    this.#show(elapsedMs);
  }

  #show(elapsedMs: number): void {
    const { line, share } = this.#options;
    const { isTTY, columns } = this.#output;
    const done = share?.() ?? 0;
    const parts = [line()];
    if (done >= MIN_SHARE && done < 1) {
      parts.push(`about ${span((elapsedMs / done) * (1 - done))} left`);
    } else parts.push(span(elapsedMs));
    const text = printable(parts.join(", "));
    this.clear();
    const bar = share === undefined ? "" : `${barOf(done)} `;
    const row = (bar + text).slice(0, (columns || DEFAULT_COLUMNS) - 1);
    write(this.#output, isTTY ? row : `${text}\n`);
  }

  /** Says something that stays. */
  note(text: string): void {
    this.clear();
    write(this.#output, `${text}\n`);
  }

  /** Takes the line off the terminal. */
  clear(): void {
    if (this.#output.isTTY && !this.#options.isHidden) clearLine(this.#output);
  }
}

/** `[#####...............]` */
function barOf(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `[${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}]`;
}

/** Shows the progress by itself, until it ends. */
export function showProgress(options: ProgressOptions) {
  const progress = new Progress(options);
  const timer = setInterval(() => progress.update(), progress.intervalMs);
  // If the work failed, the timer must not keep the process alive.
  timer.unref();
  return {
    note: (text: string) => progress.note(text),
    clear: () => progress.clear(),
    end: () => {
      clearInterval(timer);
      progress.clear();
    },
  };
}
