import { StatusLine, type StatusOutput } from "./status-line.ts";

/** How often the line is written again on a terminal, and how often a new line is printed elsewhere. */
const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 10_000;
/** Before this, how long the rest takes is a guess. */
const MIN_SHARE = 0.02;

export interface ProgressOptions {
  /** Describes how far the work is now. */
  readonly line: () => string;
  /** The share of the work that is done, from 0 to 1: from it comes how long the rest takes. */
  readonly share?: () => number;
  readonly output?: StatusOutput | undefined;
}

/** Shows how far a command is: at once on a terminal, and periodically elsewhere. */
export class Progress extends StatusLine {
  readonly #options: ProgressOptions;
  readonly #started = performance.now();
  #shown = performance.now();

  constructor(options: ProgressOptions) {
    super(options.output);
    this.#options = options;
  }

  /** How often there is something to show. */
  get intervalMs(): number {
    return this.isTerminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  }

  /** Shows the progress, unless it was shown a moment ago. */
  update(): void {
    const now = performance.now();
    if (now - this.#shown < this.intervalMs) return;
    this.#shown = now;
    this.show(this.#text(now - this.#started));
  }

  #text(elapsedMs: number): string {
    const { line, share } = this.#options;
    const text = `${line()}, ${formatSeconds(elapsedMs)}`;
    const done = share?.() ?? 0;
    if (done < MIN_SHARE || done >= 1) return text;
    return `${text}, about ${formatSeconds((elapsedMs / done) * (1 - done))} left`;
  }
}

/** Shows the progress by itself, until it ends. */
export function showProgress(options: ProgressOptions) {
  const progress = new Progress(options);
  const timer = setInterval(() => progress.update(), progress.intervalMs);
  // If the work failed, the timer must not keep the process alive.
  timer.unref();
  return {
    note: (text: string) => progress.note(text),
    end: () => {
      clearInterval(timer);
      progress.clear();
    },
  };
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
